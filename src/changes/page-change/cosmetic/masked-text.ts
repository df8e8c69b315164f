// Masked text: a text in which everything that machines write at every visit (times, counts, tokens) is taken out and kept beside it.
//
// Two texts with the same skeleton differ in their slots only: those can be judged one by one, and a word changed beside a counter
// changes the skeleton. What is masked is not thereby noise: a price is a slot as well, of a shape that is never learned.

import { timeWords } from './time-words.ts'
import { isToken } from './token-shape.ts'

/** `amount`: prices, shares, scores, versions: numbers that people edit. */
export type Shape = 'time' | 'count' | 'token' | 'amount'

export interface Slot {
  readonly shape: Shape
  readonly text: string
  /** What it is called where it stands: a parameter or a variable; else empty. */
  readonly name: string
}

export interface Masked {
  readonly skeleton: string
  readonly slots: readonly Slot[]
}

/** Longer texts, and texts with more slots, are compared as a whole. */
const textCharsMax = 4_000
const slotsMax = 200
const betweenTimesMax = 6

interface Piece {
  readonly kind: 'time' | 'number' | 'token' | 'word' | 'other'
  readonly text: string
}

const patterns: readonly (readonly [Piece['kind'], RegExp])[] = [
  ['time', /\d{4}-\d\d?-\d\d?(?:[T ]\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?(?!\d)/y],
  ['time', /\d{1,2}([./])\s?\d{1,2}\1\s?(?:\d{4}|\d{2})?(?![\d.])/y],
  ['time', /\d{1,2}(?:[:h]\d\d){1,2}(?!\d)(?:\s?[ap]\.?m\b\.?)?/iy],
  ['time', /\d+\s?(?:[年月日號号時时點点分秒天週周か个個間钟鐘小년월일시분초간주개](?!曜))+(?:\s?[前전])?/y],
  ['token', /[A-Za-z0-9][A-Za-z0-9_-]{7,8191}/y],
  ['number', /\d+(?:[.,'’\u00a0\u202f]\d+)*/y],
  ['word', /[\p{L}\p{M}_][\p{L}\p{M}\p{N}_]*/uy],
]

const currencyWords = new Set(
  'eur usd gbp chf jpy cny sek nok dkk pln czk huf rub inr krw brl kr zł kč ft lei лв руб грн euro euros dollar dollars pounds 元 円 원 บาท'.split(
    ' ',
  ),
)

/** Prices and the like stand beside one of these. */
const amountSign = /^[\p{Sc}%‰°½¼¾]/u

export function isCurrency(text: string): boolean {
  const word = text.trim().toLowerCase()
  return amountSign.test(word) || currencyWords.has(word.replace(/[.:]$/, ''))
}

/** undefined where it is too long to be looked at. */
export function maskText(text: string): Masked | undefined {
  if (text.length > textCharsMax) return undefined
  const pieces = piecesOf(text)
  const slots: Slot[] = []
  let skeleton = ''
  let lastTimeEnd = 0
  for (let at = 0; at < pieces.length; ) {
    const end = endOfTime(pieces, at)
    if (end > at) {
      const text = textOf(pieces, at, end)
      const last = slots.at(-1)
      // Date and time are one, also with a word between.
      const isMore = last?.shape === 'time' && skeleton.length - lastTimeEnd <= betweenTimesMax
      if (isMore) slots[slots.length - 1] = { ...last, text: `${last.text} ${text}` }
      else slots.push({ shape: 'time', text, name: '' })
      skeleton += '\u0001'
      lastTimeEnd = skeleton.length
      at = end
      continue
    }
    const piece = pieces[at]!
    const shape = shapeOf(pieces, at)
    if (shape === undefined) skeleton += piece.text
    else {
      slots.push({ shape, text: piece.text, name: '' })
      skeleton += shape === 'count' ? '\u0002' : shape === 'token' ? '\u0003' : '\u0004'
    }
    at++
  }
  return slots.length > slotsMax ? undefined : { skeleton, slots }
}

/** Whether nothing but slots and what parts them stands in it. */
export function isBare({ skeleton }: Masked): boolean {
  return !/[\p{L}\p{N}]/u.test(skeleton)
}

export function shapeOfNumber(text: string): 'count' | 'amount' {
  const isGrouped = /^\d{1,3}(?:([.,'’\u00a0\u202f])\d{3})(?:\1\d{3})*$/.test(text)
  return isGrouped || /^\d+$/.test(text) ? 'count' : 'amount'
}

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  for (let at = 0; at < text.length; ) {
    const piece = pieceAt(text, at)
    pieces.push(piece)
    at += piece.text.length
  }
  return pieces
}

function pieceAt(text: string, at: number): Piece {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found === undefined || (kind === 'token' && !isToken(found))) continue
    return { kind, text: found }
  }
  return { kind: 'other', text: String.fromCodePoint(text.codePointAt(at)!) }
}

function shapeOf(pieces: readonly Piece[], at: number): Shape | undefined {
  const { kind, text } = pieces[at]!
  if (kind === 'token') return 'token'
  if (kind === 'time') return 'time'
  if (kind !== 'number') return undefined
  if (shapeOfNumber(text) === 'amount') return 'amount'
  return isBesideAmountSign(pieces, at) ? 'amount' : 'count'
}

function isBesideAmountSign(pieces: readonly Piece[], at: number): boolean {
  const [before, beyond] = neighbours(pieces, at, -1)
  const [after, behind] = neighbours(pieces, at, 1)
  if (isCurrency(before) || isCurrency(after)) return true
  // A score, a range, a dimension: 2 : 1, 4-6, 3 × 4, 7/10.
  const isPart = (sign: string, other: string) =>
    /^[-–—:×x/]$/.test(sign) && /^\d{1,3}$/.test(other) && pieces[at]!.text.length <= 3
  return isPart(before, beyond) || isPart(after, behind)
}

/** The two nearest pieces in a direction that are not white space. */
function neighbours(pieces: readonly Piece[], at: number, step: 1 | -1): [string, string] {
  const found: string[] = []
  for (let next = at + step; found.length < 2 && pieces[next] !== undefined; next += step) {
    const { text } = pieces[next]!
    if (text.trim() !== '') found.push(text)
  }
  return [found[0] ?? '', found[1] ?? '']
}

/** The end of the phrase of time that begins here, or `start` when none does. */
function endOfTime(pieces: readonly Piece[], start: number): number {
  let end = start
  let hasName = false
  let hasUnit = false
  let hasNumber = false
  let hasPast = false
  for (let at = start; at < pieces.length && at < start + 24; at++) {
    const { kind, text } = pieces[at]!
    if (kind === 'time') hasName = true
    else if (kind === 'number') hasNumber = true
    else if (kind === 'word') {
      const role = roleOf(text.toLowerCase())
      if (role === undefined) break
      hasUnit ||= role === 'unit'
      hasName ||= role === 'name'
      hasPast ||= role === 'past'
    } else if (kind === 'token' || at === start || !/[\s,./:-]/.test(text)) break
    else continue
    end = at + 1
  }
  return hasName || (hasUnit && (hasNumber || hasPast)) ? end : start
}

function roleOf(word: string): 'unit' | 'name' | 'past' | undefined {
  const { units, names, days, past, suffixes } = timeWords()
  if (names.has(word) || days.has(word)) return 'name'
  if (units.has(word) || suffixes.has(word)) return 'unit'
  return past.has(word) ? 'past' : undefined
}

function textOf(pieces: readonly Piece[], start: number, end: number): string {
  return pieces
    .slice(start, end)
    .map(({ text }) => text)
    .join('')
}
