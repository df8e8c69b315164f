// Errors of sites while peers come and go. All of them are temporary.

import { errorFamily } from '../../errors.ts'

export class SiteError extends errorFamily({
  'site-not-ours': 'later',
  'site-not-ready': 'later',
  'site-not-safe': 'later',
}) {}

/** A later epoch than ours was heard of. */
export class SiteSuperseded extends SiteError {
  constructor(site: string) {
    super('site-not-ready', `${site} was taken over by another`)
  }
}
