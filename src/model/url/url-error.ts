// What is wrong with a URL, said so that the person who typed it understands.

import { errorFamily } from '../../errors.ts'

export class UrlError extends errorFamily({
  'url-empty': 'never',
  'url-malformed': 'never',
  'url-unsupported-scheme': 'never',
  'url-bad-host': 'never',
  'url-too-long': 'never',
}) {}

export type UrlErrorCode = InstanceType<typeof UrlError>['code']

const shownCharsMax = 80

/** The URL as an error message quotes it: cut short, and with nothing in it that could disturb a terminal. */
export function quoteUrl(text: string): string {
  const shown = text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text
  return `"${shown.toWellFormed().replace(/[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '\ufffd')}"`
}
