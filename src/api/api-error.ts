// What is wrong with a request, said so that whoever sent it knows what to do.

import { errorFamily } from '../errors.ts'

export class ApiError extends errorFamily({
  'request-malformed': 'never',
  'request-not-json': 'never',
  'request-bad-parameter': 'never',
  'route-unknown': 'never',
  'method-not-allowed': 'never',
  /** A host name that is not ours: another server's request, or an attack through DNS. */
  'host-not-ours': 'never',
  'token-missing': 'never',
  'token-wrong': 'never',
  /** A page of another site tried to write. */
  'origin-not-ours': 'never',
  /** An extension's key, where more is needed. */
  'key-not-enough': 'never',
  'owner-link-spent': 'never',
  'not-archived': 'never',
  'taken-down': 'never',
  'job-unknown': 'never',
  'export-unknown': 'never',
  'rule-unknown': 'never',
  'too-many-streams': 'later',
}) {}

export function badParameter(name: string, value: string, expects: string): ApiError {
  return new ApiError('request-bad-parameter', `${name} is ${quoted(value)}, but must be ${expects}.`)
}

/** What somebody sent, cut short and without anything that could disturb a terminal or a page. */
export function quoted(text: string): string {
  const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text
  return `"${shown.toWellFormed().replace(/[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '\ufffd')}"`
}
