// What can go wrong with a page, beyond what the archive itself refuses. The server turns the codes into statuses.

import { PolyhistorError } from '../errors.ts'

const messages = {
  'not-archived': 'Nothing of this address is in the archive.',
  'store-taken-down': 'This address was taken down: the archive does not show it.',
  'owner-link-spent':
    'This link was used already, or is more than an hour old. A new one is printed by: polyhistor link',
  'docs-page-missing': 'The documentation has no such page.',
  'job-unknown': 'There is no such crawl here.',
  'too-many-comparisons': 'Many pages are being compared already. Try again in a moment.',
  'request-malformed': 'Something is missing in this form.',
} as const

export class PageError extends PolyhistorError {
  declare readonly code: keyof typeof messages

  constructor(code: keyof typeof messages, message: string = messages[code]) {
    super(code, message, { retry: code === 'too-many-comparisons' ? 'later' : 'never' })
  }
}
