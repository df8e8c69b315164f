// Digit folding: numbers and hashes are taken out of text and written as bytes of their own.
//
// Why: a compressor's code for letters spends five bits and more on a digit, which is worth 3.3, or 4 in a hash. URLs are
// full of them: dates, numbers of articles and products, names of images. Where a run was stands a control character
// that tells its length; hrefs have none. Two decimal digits become a byte from 0 to 99, two hex digits any byte.
//
// Invariant: unfolding gives back what was folded. Runs cut at odd places are as good as whole ones.

import { MessageMalformed } from '../../../formats/wire/message-bytes.ts'

/** Shorter ones are matched with what came before more cheaply than written. */
const decimalCharsMin = 4
const decimalCharsMax = 9
const hexPairsMin = 8
const hexPairsMax = 24
// 0x01 to 0x06 for decimal runs, 0x0e to 0x1e for hex: 0x0a ends a line.
const decimalBase = 0x01 - decimalCharsMin
const hexBase = 0x0e - hexPairsMin
const runs = new RegExp(
  `((?:[0-9a-f]{2}){${hexPairsMin},${hexPairsMax}})|([0-9]{${decimalCharsMin},${decimalCharsMax}})`,
  'g',
)
const marks = /[\x01-\x06\x0e-\x1e]/g

interface Folded {
  readonly text: string
  readonly decimals: Buffer
  readonly hexes: Buffer
}

export function foldDigits(text: string): Folded {
  let decimals = ''
  const hexes: string[] = []
  const folded = text.replace(runs, (run: string, hex: string | undefined) => {
    if (hex !== undefined) {
      hexes.push(hex)
      return String.fromCharCode(hexBase + hex.length / 2)
    }
    decimals += run.length % 2 === 0 ? run : `${run.slice(0, -1)}0${run.slice(-1)}`
    return String.fromCharCode(decimalBase + run.length)
  })
  return { text: folded, decimals: pairsOf(decimals), hexes: Buffer.from(hexes.join(''), 'hex') }
}

export function unfoldDigits({ text, decimals, hexes }: Folded): string {
  let decimalAt = 0
  let hexAt = 0
  const unfolded = text.replace(marks, (mark) => {
    const code = mark.charCodeAt(0)
    if (code >= hexBase + hexPairsMin) {
      const from = hexAt
      hexAt += code - hexBase
      if (hexAt > hexes.length) throw new MessageMalformed('hex digits are missing')
      return hexes.toString('hex', from, hexAt)
    }
    const length = code - decimalBase
    const from = decimalAt
    decimalAt += Math.ceil(length / 2)
    if (decimalAt > decimals.length) throw new MessageMalformed('digits are missing')
    return digitsOf(decimals.subarray(from, decimalAt), length)
  })
  if (decimalAt < decimals.length || hexAt < hexes.length) throw new MessageMalformed('digits are left over')
  return unfolded
}

function pairsOf(digits: string): Buffer {
  const pairs = Buffer.allocUnsafe(digits.length / 2)
  for (let at = 0; at < pairs.length; at++) {
    pairs[at] = 10 * (digits.charCodeAt(2 * at) - 0x30) + digits.charCodeAt(2 * at + 1) - 0x30
  }
  return pairs
}

function digitsOf(pairs: Uint8Array, length: number): string {
  let digits = ''
  for (const [index, pair] of pairs.entries()) {
    // The last of an odd run stands alone.
    const width = Math.min(2, length - 2 * index)
    if (pair >= 10 ** width) throw new MessageMalformed('a digit is none')
    digits += String(pair).padStart(width, '0')
  }
  return digits
}
