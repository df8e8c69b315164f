// A query as people type it: words, "phrases", -without, OR, and site: url: title: lang: type: before: after: at:
//
// What can be understood is; where a field's value makes no sense, the error says what it should be. Bounded: characters, units.

import { timestampSpan } from '../../model/timestamp.ts'
import { SearchError } from '../search-error.ts'
import { documentTypes } from '../text/page-text.ts'
import { wordsIn } from '../text/words.ts'
import { type Clause, everTime, type Query, type QueryTime, type Unit } from './query.ts'

export const queryCharsMax = 2_000
export const unitsMax = 64
const wordsPerUnitMax = 32

const typeNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(documentTypes.map((type) => [type, type])),
  ...{ htm: 'html', page: 'html', web: 'html', txt: 'text', plain: 'text' },
}

/** -, a field, and a quoted text or what stands up to the next space. */
const piecePattern = /(-?)(?:([a-z]+):)?(?:"([^"]*)(?:"|$)|([^\s"]+)|(?<=:)(?=\s|$))/giy

interface Piece {
  readonly isExcluded: boolean
  readonly field: string
  readonly text: string
  readonly isQuoted: boolean
}

export function parseQuery(text: string): Query {
  if (text.length > queryCharsMax)
    throw bad(`The query has ${text.length} characters. At most ${queryCharsMax} are looked for.`)
  const times = new TimeFields()
  const clauses: { alternatives: Unit[]; isExcluded: boolean }[] = []
  let joins = false
  let units = 0
  for (const piece of piecesOf(text)) {
    if (
      !piece.isExcluded &&
      piece.field === '' &&
      !piece.isQuoted &&
      (piece.text === 'OR' || piece.text === '|')
    ) {
      joins = clauses.length > 0
      continue
    }
    if (times.take(piece)) continue
    for (const unit of unitsOf(piece)) {
      if (++units > unitsMax) throw bad(`The query has more than ${unitsMax} words. Leave some out.`)
      const last = clauses.at(-1)
      if (joins && last !== undefined && !last.isExcluded && !piece.isExcluded) last.alternatives.push(unit)
      else clauses.push({ alternatives: [unit], isExcluded: piece.isExcluded })
      joins = false
    }
  }
  checkSense(clauses)
  return { clauses, time: times.time() }
}

function* piecesOf(text: string): Generator<Piece> {
  piecePattern.lastIndex = 0
  let at = 0
  while (at < text.length) {
    piecePattern.lastIndex = at
    const match = piecePattern.exec(text)
    if (match === null || match[0] === '') {
      at++
      continue
    }
    at = piecePattern.lastIndex
    const [, minus, field = '', quoted, plain] = match
    yield {
      isExcluded: minus === '-',
      field: field.toLowerCase(),
      text: (quoted ?? plain ?? '').trim(),
      isQuoted: quoted !== undefined,
    }
  }
}

function unitsOf({ field, text, isQuoted }: Piece): Unit[] {
  switch (field) {
    case 'site':
      return [{ kind: 'site', words: [siteOf(text)] }]
    case 'lang':
      return [{ kind: 'lang', words: [languageIn(text)] }]
    case 'type':
      return [{ kind: 'type', words: [typeIn(text)] }]
    case 'title':
    case 'url': {
      const words = wordList(
        field === 'url' ? text.replace(/[_-]/g, ' ').replace(/^https?:\/\/(?:www\.)?/, '') : text,
      )
      if (words.length === 0) throw bad(`${field}: needs a word: ${field}:example`)
      return [{ kind: field, words }]
    }
    default: {
      // What only looks like a field, such as an address or a time of day.
      const words = wordList(field === '' ? text : `${field}:${text}`)
      if (words.length === 0) return []
      return words.length === 1 ? [{ kind: 'word', words }] : phraseOrWords(words, isQuoted || field === '')
    }
  }
}

/** What was typed in one piece (e-mail, 和平) belongs together. */
function phraseOrWords(words: readonly string[], isPhrase: boolean): Unit[] {
  return isPhrase ? [{ kind: 'phrase', words }] : words.map((word) => ({ kind: 'word', words: [word] }))
}

function wordList(text: string): string[] {
  return Array.from(wordsIn(text), ({ word }) => word).slice(0, wordsPerUnitMax)
}

function siteOf(text: string): string {
  const host = text
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .replace(/^(?:\*?\.)+/, '')
    .replace(/[/:?#].*$/, '')
  if (!/^[\p{L}\p{N}.[\]_-]+$/u.test(host)) throw bad('site: needs the name of a site: site:example.org')
  try {
    return new URL(`http://${host}/`).hostname
  } catch {
    throw bad(`site:${host} is not the name of a site. Say, for example, site:example.org`)
  }
}

function languageIn(text: string): string {
  const language = text.toLowerCase()
  if (!/^[a-z]{2}$/.test(language))
    throw bad('lang: needs a language in two letters, such as lang:en or lang:de')
  return language
}

function typeIn(text: string): string {
  const type = typeNames[text.toLowerCase()]
  if (type === undefined) throw bad(`type: can be ${documentTypes.join(', ')}; not ${text || 'nothing'}.`)
  return type
}

function checkSense(clauses: readonly Clause[]): void {
  if (clauses.length === 0) throw bad('Say what to look for: some words, or site: with the name of a site.')
  if (clauses.every(({ isExcluded }) => isExcluded))
    throw bad('This only says what is not wanted. Say what to look for as well.')
}

/** at:, before: and after:, each once. */
class TimeFields {
  readonly #given = new Map<string, string>()

  /** Whether it was one of them. */
  take({ field, text, isExcluded }: Piece): boolean {
    if (field !== 'at' && field !== 'before' && field !== 'after') return false
    if (isExcluded) throw bad(`-${field}: is not understood. Leave the - out.`)
    if (this.#given.has(field)) throw bad(`${field}: is there twice.`)
    this.#given.set(field, text)
    return true
  }

  time(): QueryTime {
    const [at, before, after] = ['at', 'before', 'after'].map((field) => this.#given.get(field))
    if (at === undefined && before === undefined && after === undefined) return { kind: 'newest' }
    if (at !== undefined && (before !== undefined || after !== undefined))
      throw bad('at: is one moment. It goes with neither before: nor after:.')
    if (at !== undefined) return timeAt(at)
    const fromMs = after === undefined ? Number.NEGATIVE_INFINITY : spanOf('after', after).fromMs
    const toMs = before === undefined ? Number.POSITIVE_INFINITY : spanOf('before', before).fromMs
    if (fromMs >= toMs) throw bad('Nothing is after the one time and before the other. Exchange them.')
    return { kind: 'between', fromMs, toMs }
  }
}

export function timeAt(text: string): QueryTime {
  const word = text.toLowerCase()
  if (word === 'ever' || word === 'any') return everTime
  if (word === 'now' || word === 'newest') return { kind: 'newest' }
  // The end of it: what stood there in that year, say.
  return { kind: 'at', atMs: spanOf('at', text).toMs - 1 }
}

function spanOf(field: string, text: string): { fromMs: number; toMs: number } {
  const digits = text.replace(/[-T:Z/.]/gi, '')
  try {
    if (/^\d{4,14}$/.test(digits) && digits.length % 2 === 0) return timestampSpan(digits)
  } catch {
    // Said below.
  }
  const ever = field === 'at' ? ', or at:ever for all versions' : ''
  throw bad(`${field}: needs a date, such as ${field}:2020, ${field}:2020-05 or ${field}:2020-05-01${ever}.`)
}

export function bad(message: string): SearchError {
  return new SearchError('search-bad-query', message)
}
