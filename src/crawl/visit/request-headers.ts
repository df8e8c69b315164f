// What we say of ourselves and what we take, in every request.

import type { Field } from '../../record/field-list.ts'

export const productToken = 'polyhistor'

export function userAgentOf(version: string): string {
  return `${productToken}/${version} (+https://polyhistor.org/crawler)`
}

/** Content-codings save the site's traffic; what comes is archived as it comes. */
export function requestHeaders(userAgent: string, more: readonly Field[] = []): Field[] {
  return [
    ['User-Agent', userAgent],
    ['Accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'],
    ['Accept-Encoding', 'gzip, br, zstd'],
    ['Accept-Language', 'en,*;q=0.5'],
    ...more,
  ]
}
