// Regular expressions of strangers, matched by RE2 in time linear in the text.
//
// JavaScript's engine backtracks: `(a+)+$`, or `.*.*.*~`, on a URL made for it holds the thread for years. RE2 cannot, at the price of
// look-around and back references, which are refused. Linear is not cheap, though: each character costs up to as many steps as the
// pattern has instructions, and `{1000}` makes a thousand of what it repeats. So those are bounded, too.
// bench/results/patterns.md has the figures.

import { RE2JS } from 're2js'
import { PolyhistorError } from '../errors.ts'

/** `reason` is a part of a sentence. */
export class PatternRefused extends PolyhistorError {
  readonly reason: string

  constructor(source: string, reason: string) {
    super('pattern-malformed', `The pattern ${JSON.stringify(source.slice(0, 80))} cannot be used: ${reason}`)
    this.reason = reason
  }
}

export interface LinearPattern {
  readonly source: string
  /** Instructions: what a character may cost. */
  readonly size: number
  /** Whether it is found anywhere in the text. */
  test(text: string): boolean
  /** The text without all that matches. */
  without(text: string): string
}

/** Some 20 ms for the worst of them on a URL of a thousand characters. */
const sizeMax = 500

/** Throws PatternRefused. `whole` and `start` tie it to the ends of the text. */
export function linearPattern(source: string, anchored: 'whole' | 'start' | 'nowhere'): LinearPattern {
  // First by itself, so that `a)(b` does not become valid by what is put around it.
  const bare = compile(source, source)
  const pattern = anchored === 'nowhere' ? bare : compile(source, anchoredSource(source, anchored))
  const size = pattern.programSize()
  if (size > sizeMax) throw new PatternRefused(source, 'it repeats too much')
  return {
    source,
    size,
    test: (text) => pattern.test(text),
    without: (text) => pattern.matcher(text).replaceAll(''),
  }
}

function anchoredSource(source: string, anchored: 'whole' | 'start'): string {
  return anchored === 'whole' ? `^(?:${source})$` : `^(?:${source})`
}

function compile(source: string, whole: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(whole))
  } catch (error) {
    throw new PatternRefused(source, reasonOf(error as Error))
  }
}

function reasonOf({ message }: Error): string {
  const reason = message.replace(/^error parsing regexp: /, '')
  const isLookAround = /`\(\?<?[=!]|invalid named capture: `\(\?<[=!]/.test(reason)
  if (isLookAround || /invalid escape sequence: `\\[1-9k]/.test(reason))
    return 'look-around and back references are not possible here'
  if (reason.startsWith('invalid repeat count')) return 'it repeats too much'
  return reason
}
