// Entity tag: changes when the archived bytes change, or what we make of them.

import type { ReplayCapture } from './capture-source.ts'
import type { ContentKind } from './content/content-kind.ts'

/** Raised with every change to what rewriting gives, or readers would keep the old. */
const rewriterVersion = 1

export function entityTagOf({ content, cursor }: ReplayCapture, kind: ContentKind, coding: string): string {
  const name =
    content === undefined
      ? cursor.slice(-32)
      : Buffer.from(content.digest.bytes.subarray(0, 16)).toString('hex')
  const made = kind === 'none' ? 'raw' : `${kind}${rewriterVersion}`
  return `"${name}-${made}${coding === '' ? '' : `-${coding}`}"`
}

/** Whether `If-None-Match` names it. */
export function isNamedIn(header: string | undefined, entityTag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === entityTag)
}
