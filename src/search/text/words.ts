// Words: a text as the words that are searched for, in order: lower case, without regard to how characters were composed.
//
// What is written without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) is segmented by Intl.Segmenter, with the same
// dictionary whatever the language of the page, so that pages and queries are cut alike.
//
// Most words have plain letters only: they are found by going through the text once, and no string is made of them. Whatever else
// there is in a word makes the pattern decide on it.

const wordPattern = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/uy
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const wordCharsMax = 64
const apostrophe = 0x27
const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/** Of plain characters: the lower case of a letter or digit, 0 for all others. */
const lowerCase = new Uint8Array(128)
for (let code = 0; code < 128; code++)
  if (/[a-z\d]/i.test(String.fromCharCode(code)))
    lowerCase[code] = String.fromCharCode(code).toLowerCase().charCodeAt(0)

export interface Word {
  readonly word: string
  /** Where it stands in the text. */
  readonly start: number
  readonly end: number
}

/** Whoever takes words says false when it has enough. */
export interface WordTaker {
  /** The word in UTF-8 is `bytes` up to the length: only until this returns. */
  take(bytes: Uint8Array, length: number, start: number, end: number): boolean
}

/** More than any word takes: composing makes one longer, eighteen times at most. */
const scratch = Buffer.allocUnsafeSlow(3 * 18 * wordCharsMax)

export function takeWords(text: string, taker: WordTaker): void {
  const length = text.length
  for (let at = 0; at < length; ) {
    const start = at
    let code = text.charCodeAt(at)
    if (code < 128) {
      let count = 0
      for (let plain = lowerCase[code]!; plain !== 0; plain = lowerCase[code]!) {
        if (count < wordCharsMax) scratch[count++] = plain
        if (++at === length) break
        code = text.charCodeAt(at)
        if (code > 127) break
      }
      if (at === start) {
        at++
        continue
      }
      const isWhole = at === length || (code < 128 && code !== apostrophe)
      if (isWhole) {
        if (!taker.take(scratch, count, start, at)) return
        continue
      }
    }
    wordPattern.lastIndex = start
    const run = wordPattern.exec(text)?.[0]
    at = start + Math.max(1, run?.length ?? 0)
    if (run === undefined) continue
    for (const { word, start: from, end } of wordsOfRun(run, start))
      if (!taker.take(scratch, scratch.write(word), from, end)) return
  }
}

export function wordsIn(text: string): Word[] {
  const words: Word[] = []
  takeWords(text, {
    take(bytes, length, start, end) {
      words.push({ word: (bytes as Buffer).toString('utf8', 0, length), start, end })
      return true
    },
  })
  return words
}

function* wordsOfRun(run: string, start: number): Generator<Word> {
  if (isAscii(run) || !unspaced.test(run)) {
    yield { word: normalised(run), start, end: start + run.length }
    return
  }
  for (const { segment, index, isWordLike } of segmenter.segment(run))
    if (isWordLike !== false)
      yield { word: normalised(segment), start: start + index, end: start + index + segment.length }
}

/** Without accents where they only tell how a Latin or Greek word is spoken: who types a query leaves them out. */
export function folded(word: string): string {
  if (isAscii(word) || !/[\p{Script=Latin}\p{Script=Greek}]/u.test(word)) return word
  return word
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .replace(/ß/g, 'ss')
    .replace(/ø/g, 'o')
    .replace(/ł/g, 'l')
    .replace(/æ/g, 'ae')
    .replace(/œ/g, 'oe')
}

function normalised(run: string): string {
  const cut = run.length > wordCharsMax ? run.slice(0, wordCharsMax).toWellFormed() : run
  const lower = cut.toLowerCase()
  return isAscii(lower) ? withoutPossessive(lower) : withoutPossessive(lower.normalize('NFKC').toLowerCase())
}

function withoutPossessive(word: string): string {
  if (!word.includes("'") && !word.includes('’')) return word
  const plain = word.replaceAll('’', "'")
  return plain.length > 2 && plain.endsWith("'s") ? plain.slice(0, -2) : plain
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false
  return true
}
