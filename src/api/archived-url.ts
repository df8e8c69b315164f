// The archived URL at the end of a request's target, understood as people and tools write it.

import type { CaptureIndex } from '../model/archive.ts'
import { type Url, urlFromTyped } from '../model/url/url.ts'
import { ApiError } from './api-error.ts'

/** Proxies fold `http://` into `http:/`, some clients encode all of it once more, people leave the scheme out. */
export function archivedUrl(written: string): Url {
  const text = /^https?%3a/i.test(written) ? decoded(written) : written
  return urlFromTyped(text.replace(/^(https?):\/+/i, '$1://'))
}

/** Throws when it was taken down. */
export function checkNotTakenDown(archive: CaptureIndex, url: Url): void {
  if (archive.isTakenDown(url))
    throw new ApiError('taken-down', `${url.href} was taken down from this archive.`)
}

export function notArchived(url: Url): ApiError {
  return new ApiError('not-archived', `${url.href} is not in this archive.`)
}

function decoded(written: string): string {
  try {
    return decodeURIComponent(written)
  } catch {
    return written
  }
}
