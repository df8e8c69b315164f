// What is wrong with a URL, said so that the person who typed it understands.

import { PolyhistorError } from '../../errors.ts'

export type UrlErrorCode =
  | 'url-empty'
  | 'url-malformed'
  | 'url-unsupported-scheme'
  | 'url-bad-host'
  | 'url-too-long'

export class UrlError extends PolyhistorError {
  declare readonly code: UrlErrorCode

  // Narrows the codes that may be given.
  constructor(code: UrlErrorCode, message: string) {
    super(code, message)
  }
}

const shownCharsMax = 80

/** The URL as an error message quotes it: cut short, and with nothing in it that could disturb a terminal. */
export function quoteUrl(text: string): string {
  const shown = text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text
  return `"${shown.toWellFormed().replace(/[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '\ufffd')}"`
}
