// Regular expressions of strangers, matched in linear time.
//
// JavaScript's usual engine backtracks: `(a+)+$` on a URL made for it would hold this thread for years. V8 has another
// engine that cannot, at the price of look-around, back references and large counted repetitions, which are refused.
// It is asked for by the flag `l`, which V8 knows once it is told to.

import { setFlagsFromString } from 'node:v8'
import { ApiError, quoted } from '../api-error.ts'

const sourceCharsMax = 500
let isEngineOn = false

/** `anchored`: `whole` as Java's `matches`, `start` as Python's `match`. Throws ApiError. */
export function linearPattern(source: string, anchored: 'whole' | 'start'): RegExp {
  if (source.length > sourceCharsMax) throw refused(source, `it has more than ${sourceCharsMax} characters`)
  if (!isEngineOn) setFlagsFromString('--enable-experimental-regexp-engine')
  isEngineOn = true
  try {
    // First by itself, so that `a)(b` does not become valid by what is put around it.
    new RegExp(source, 'l')
    return new RegExp(anchored === 'whole' ? `^(?:${source})$` : `^(?:${source})`, 'l')
  } catch (error) {
    const { message } = error as Error
    throw refused(
      source,
      message.endsWith('Cannot be executed in linear time')
        ? 'look-around, back references and repetitions of more than a few are not possible here'
        : message.replace(/^.*: /, ''),
    )
  }
}

function refused(source: string, why: string): ApiError {
  return new ApiError(
    'request-bad-parameter',
    `${quoted(source)} cannot be used as a regular expression: ${why}.`,
  )
}
