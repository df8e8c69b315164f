// Pages to store: distinct, about 19 kB, about four times smaller as gzip, the same on every run.
//
// Markup, links and words in about the mix of a news page; the common words common, as in any language.

export const pageBytes = 19_200

const letters = 'etaoinshrdlucmfwypvbgkjqxz'

/** A number in [0, 1) at every call; the same row of them for the same seed. */
export function chanceFrom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const vocabulary = makeVocabulary()

/** The page with this number. `bytes` for smaller ones. */
export function page(number: number, bytes = pageBytes): Buffer {
  return Buffer.from(pageText(number, bytes))
}

/** ASCII, so that characters are bytes. */
export function pageText(number: number, bytes = pageBytes): string {
  const chance = chanceFrom(number + 2)
  const parts = [
    `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${number}</title></head>\n<body>\n`,
  ]
  for (let length = parts[0]!.length; length < bytes; length += parts.at(-1)!.length)
    parts.push(teaser(chance))
  return parts.join('').slice(0, bytes)
}

export function sentence(chance: () => number, words: number): string {
  const chosen: string[] = []
  for (let count = 0; count < words; count++)
    chosen.push(vocabulary[Math.floor(chance() ** 3 * vocabulary.length)]!)
  return chosen.join(' ')
}

function teaser(chance: () => number): string {
  const link = Math.floor(chance() * 1e6)
  return `<article class="teaser teaser--small">
  <div class="teaser__media"><img loading="lazy" src="/img/${link}.jpg" alt=""></div>
  <h2 class="teaser__title"><a class="teaser__link" href="/news/${link}.html">${sentence(chance, 6)}</a></h2>
  <p class="teaser__text">${sentence(chance, 18)}.</p>
</article>
`
}

function makeVocabulary(): string[] {
  const chance = chanceFrom(1)
  const letter = () => letters[Math.floor(chance() ** 1.7 * letters.length)]
  return Array.from({ length: 3000 }, () =>
    Array.from({ length: 2 + Math.floor(chance() * 8) }, letter).join(''),
  )
}
