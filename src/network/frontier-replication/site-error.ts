// Errors of sites while peers come and go. All of them are temporary.

import { PolyhistorError } from '../../errors.ts'

type SiteErrorCode = 'site-not-ours' | 'site-not-ready' | 'site-not-safe'

export class SiteError extends PolyhistorError {
  declare readonly code: SiteErrorCode

  constructor(code: SiteErrorCode, message: string) {
    super(code, message, { retry: 'later' })
  }
}

/** A later epoch than ours was heard of. */
export class SiteSuperseded extends SiteError {
  constructor(site: string) {
    super('site-not-ready', `${site} was taken over by another`)
  }
}
