// A web made from a seed: hosts full of pages and images, the same on every run.
//
// Sizes are lognormal (median 10 kB, mean 15 kB). A page is what pages are: much markup around some text, head, menu and
// foot the same on all pages of a host, the text of words as rare and as frequent as in a language. It compresses to a
// quarter or a fifth, as pages do. Every page and image can be reached from the first page of the first host.

export interface WebShape {
  readonly hosts: number
  /** Per host. */
  readonly pages: number
  /** Per host. */
  readonly images: number
  readonly linksPerPage: number
  readonly imagesPerPage: number
  readonly seed: number
}

export const webShapeDefault: WebShape = {
  hosts: 20,
  pages: 250,
  images: 40,
  linksPerPage: 36,
  imagesPerPage: 3,
  seed: 1,
}

export interface Resource {
  readonly path: string
  readonly type: string
  readonly body: Buffer
}

const medianBytes = 10_000
/** Gives a mean of 1.5 times the median. */
const sizeSpread = 0.9
const bytesMax = 500_000
const vocabularySize = 8_000

/** Where the pages of host number `host` are. Addresses, not names: nobody needs to resolve them. */
export function addressOfHost(host: number): string {
  return `127.0.1.${host + 1}`
}

export function pagePath(page: number): string {
  return page === 0 ? '/' : `/section-${page % 7}/story-${page}.html`
}

export function imagePath(image: number): string {
  return `/images/picture-${image}.png`
}

/** By host: everything that is there. `port` is that of all hosts. */
export function generateWeb(shape: WebShape, port: number): Resource[][] {
  const dice = new Dice(shape.seed)
  const words = vocabulary(dice)
  return Array.from({ length: shape.hosts }, (_, host) => [
    ...Array.from({ length: shape.pages }, (_, page) => pageOf(shape, port, host, page, dice, words)),
    ...Array.from({ length: shape.images }, (_, image) => imageOf(image, dice)),
  ])
}

function pageOf(
  shape: WebShape,
  port: number,
  host: number,
  page: number,
  dice: Dice,
  words: readonly string[],
): Resource {
  const wantedBytes = dice.size()
  const links = linksOf(shape, port, host, page, dice)
  const images = imagesOf(shape, page, dice)
  const parts = [headOf(host, page)]
  let bytes = parts[0]!.length + 110 * (links.length + images.length)
  // Links stand in the text, as they do in pages; those that are left come at the end, as a list.
  while (bytes < wantedBytes) {
    const sentence = sentenceOf(dice, words)
    const link = links.length > 0 && dice.below(3) === 0 ? links.pop() : undefined
    const anchor = link === undefined ? '' : ` ${anchorOf(link, words[dice.zipf()]!)}`
    const paragraph = `    <p class="article__text article__text--serif">${sentence}${anchor}</p>\n`
    parts.push(paragraph)
    bytes += paragraph.length - anchor.length
  }
  for (const image of images) {
    parts.push(
      `    <figure class="article__figure"><img class="image" src="${image}" alt="" loading="lazy"></figure>\n`,
    )
  }
  parts.push('    <ul class="article__more list list--plain">\n')
  for (const link of links)
    parts.push(`      <li class="list__item">${anchorOf(link, words[dice.zipf()]!)}</li>\n`)
  parts.push('    </ul>\n  </article>\n</main>\n</body>\n</html>\n')
  return { path: pagePath(page), type: 'text/html; charset=utf-8', body: Buffer.from(parts.join('')) }
}

/** The page as it is later: a paragraph has other words, another link is one that is new, and the foot tells when that was. */
export function editedPage({ path, type, body }: Resource, edition: number): Resource {
  const text = body.toString()
  const paragraphs = text.split('<p class="article__text')
  const edited = 1 + ((edition * 7) % Math.max(1, paragraphs.length - 1))
  if (paragraphs[edited] !== undefined) {
    const words = paragraphs[edited].split(' ')
    for (let at = 2; at < words.length - 1 && at < 8; at++)
      if (/^\w+$/.test(words[at]!)) words[at] = `${words[at]}${edition}`
    paragraphs[edited] = words.join(' ')
  }
  const later = paragraphs
    .join('<p class="article__text')
    .replace(
      '</ul>\n  </article>',
      `  <li class="list__item">${anchorOf(`${path}#e${edition}`, 'new')}</li>\n    </ul>\n  </article>`,
    )
    .replace(
      '</main>',
      `<p class="page__updated">Updated 12:${String(edition % 60).padStart(2, '0')}</p></main>`,
    )
  return { path, type, body: Buffer.from(later) }
}

function headOf(host: number, page: number): string {
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta property="og:title" content="Story ${page} of host ${host}">
  <meta property="og:type" content="article">
  <title>Story ${page} of host ${host}</title>
  <style>.article__text { margin: 0 0 1em; line-height: 1.5 } .list__item { padding: 0.25em 0 }</style>
</head>
<body class="page page--article">
<header class="page__header"><p class="page__name">Host ${host}</p></header>
<main class="page__main">
  <article class="article">
    <h1 class="article__title">Story ${page} of host ${host}</h1>
`
}

function anchorOf(link: string, text: string): string {
  return `<a class="link link--internal" href="${link}">${text}</a>`
}

/** A tree, so that all can be reached, and others at random; a quarter leads to other hosts. */
function linksOf(shape: WebShape, port: number, host: number, page: number, dice: Dice): string[] {
  const links = [3 * page + 1, 3 * page + 2, 3 * page + 3]
    .filter((child) => child < shape.pages)
    .map((child) => pagePath(child))
  if (page === 0) links.push(`http://${addressOfHost((host + 1) % shape.hosts)}:${port}/`)
  while (links.length < shape.linksPerPage) {
    const path = pagePath(dice.below(shape.pages))
    const other = addressOfHost(dice.below(shape.hosts))
    links.push(dice.below(4) === 0 ? `http://${other}:${port}${path}` : path)
  }
  return links.reverse()
}

function imagesOf(shape: WebShape, page: number, dice: Dice): string[] {
  if (shape.images === 0) return []
  const first = imagePath(page % shape.images)
  return [
    first,
    ...Array.from({ length: shape.imagesPerPage - 1 }, () => imagePath(dice.below(shape.images))),
  ]
}

function imageOf(image: number, dice: Dice): Resource {
  const body = Buffer.alloc(Math.round(dice.size() / 2))
  for (let at = 0; at + 4 <= body.length; at += 4) body.writeUInt32LE(dice.next(), at)
  body.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return { path: imagePath(image), type: 'image/png', body }
}

function sentenceOf(dice: Dice, words: readonly string[]): string {
  return `${Array.from({ length: 8 + dice.below(24) }, () => words[dice.zipf()]).join(' ')}.`
}

function vocabulary(dice: Dice): string[] {
  const syllables =
    'a an ar be co de en er es fi ge ha in ko la li ma me ne no o on ra re ri sa se ta te ti to un ve'.split(
      ' ',
    )
  return Array.from({ length: vocabularySize }, () =>
    Array.from({ length: 1 + dice.below(4) }, () => syllables[dice.below(syllables.length)]).join(''),
  )
}

/** Chance from a seed (xorshift). */
class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = (seed * 2_654_435_761) >>> 0 || 1
  }

  /** 32 bits. */
  next(): number {
    let state = this.#state
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    this.#state = state >>> 0
    return this.#state
  }

  /** In [0, 1). */
  share(): number {
    return this.next() / 2 ** 32
  }

  below(end: number): number {
    return Math.floor(this.share() * end)
  }

  /** The place of a word: one as frequent as its place is low. */
  zipf(): number {
    return Math.floor(vocabularySize ** this.share()) - 1
  }

  /** Lognormal. */
  size(): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.share())) * Math.cos(2 * Math.PI * this.share())
    return Math.min(bytesMax, Math.round(medianBytes * Math.exp(sizeSpread * normal)))
  }
}
