// What can be wrong with a query, or with the index.

import { errorFamily } from '../errors.ts'

export class SearchError extends errorFamily({
  /** It makes no sense; the message says what to change. */
  'search-bad-query': 'never',
  /** Its files are not what was written: it is made anew. */
  'search-index-damaged': 'later',
  /** This peer keeps none. */
  'search-off': 'never',
  /** It is being opened, or closed. */
  'search-not-ready': 'later',
}) {}
