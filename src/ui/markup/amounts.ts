// Numbers as people read them, in the reader's language.

import type { Locale } from '../language/locale.ts'
import { type Html, html, spoken } from './html.ts'

export function printCount(count: number): Html {
  return said((locale) => locale.count(count))
}

/** `15 kB`, `1.2 GB`: two digits that matter. */
export function printBytes(bytes: number): Html {
  return said((locale) => locale.bytes(bytes))
}

/** `12.5` */
export function printDecimal(value: number, digits: 0 | 1 | 2): Html {
  return said((locale) => locale.decimal(value, digits))
}

/** With the digits that it has: `0.5`. */
export function printNumber(value: number): Html {
  return said((locale) => locale.number(value))
}

/** Digits that were cut to size: `0.0012`, `1.2e-7`. */
export function printDigits(written: string): Html {
  return said((locale) => locale.digits(written))
}

/** `3 hours`, `2 days`: in the largest unit that fits. */
export function printDuration(ms: number): Html {
  return said((locale) => locale.duration(ms))
}

/** `34 %` */
export function printShare(part: number, whole: number): string {
  if (whole <= 0) return '0 %'
  const share = (100 * part) / whole
  return `${share > 0 && share < 1 ? '<1' : Math.round(share)} %`
}

function said(print: (locale: Locale) => string): Html {
  return spoken((locale) => html`${print(locale)}`)
}
