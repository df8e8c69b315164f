// Operations: what callers do to a store, as plain data, so that another process can be told of them and knows what bytes
// must come back.

import { type Digest, digestOf } from '../../src/model/digest.ts'
import type { LargeBlock } from '../../src/model/large-block.ts'
import { parseUrl } from '../../src/model/url/url.ts'
import type { NewCapture, StoreMode } from '../../src/store/capture.ts'
import { pageText } from '../../src/store/fixtures/sample-captures.ts'
import type { Store } from '../../src/store/store.ts'

/** Bytes that are made from their description. Edits of one page differ little from each other. */
export interface Body {
  page: number
  bytes: number
  edit: number
}

export interface AppendOperation {
  kind: 'append'
  url: string
  capturedAtMs: number
  body: Body
  /** With a request and a metadata record. */
  hasCompanions: boolean
  /** The server said that nothing has changed since this capture of the same URL. */
  notModifiedSinceMs?: number | undefined
  mode?: StoreMode | undefined
  /** Too large for memory. */
  isLarge?: boolean | undefined
  folder?: string | undefined
}

export type Operation =
  | AppendOperation
  | { kind: 'put'; body: Body; folder?: string | undefined }
  | { kind: 'delete'; body: Body }
  | { kind: 'takedown'; url: string }
  | { kind: 'release'; url: string }
  | { kind: 'set-folder'; path: string; mode: 'writable' | 'read-only' }
  | { kind: 'seal' }
  | { kind: 'compact' }

/** Pages are many deeds' and slow to make. */
const pages = new Map<string, string>()

export function bytesOfBody({ page, bytes, edit }: Body): Buffer {
  const name = `${page}/${bytes}`
  let text = pages.get(name)
  if (text === undefined) pages.set(name, (text = pageText(page, bytes)))
  return Buffer.from(text.replace('<p', `<p data-edit="${edit}"`))
}

export function digestOfBody(body: Body): Digest {
  return digestOf('sha256', bytesOfBody(body))
}

/** The HTTP head that must come back with the capture. */
export function headOf(operation: AppendOperation): string {
  const status = operation.notModifiedSinceMs === undefined ? '200 OK' : '304 Not Modified'
  return `HTTP/1.1 ${status}\r\nContent-Type: text/html\r\nX-Moment: ${operation.capturedAtMs}\r\n\r\n`
}

export async function carryOut(store: Store, operation: Operation): Promise<void> {
  switch (operation.kind) {
    case 'append':
      await store.append(captureOf(operation), { mode: operation.mode, folder: operation.folder })
      return
    case 'put':
      await store.put(bytesOfBody(operation.body), { folder: operation.folder })
      return
    case 'delete':
      return store.delete({ digest: digestOfBody(operation.body), overflow: 0 })
    case 'takedown':
      await store.takedown({ kind: 'url', url: operation.url }, 'asked to')
      return
    case 'release':
      await store.release({ kind: 'url', url: operation.url })
      return
    case 'set-folder':
      return store.volumes.setFolder(operation.path, operation.mode)
    case 'seal':
      return store.volumes.seal()
    case 'compact':
      await store.compact({ deadShare: 0.1 })
  }
}

function captureOf(operation: AppendOperation): NewCapture {
  const url = parseUrl(operation.url)
  const head = Buffer.from(headOf(operation))
  const shared = {
    url,
    capturedAtMs: operation.capturedAtMs,
    request: operation.hasCompanions ? Buffer.from(`GET ${url.href} HTTP/1.1\r\n\r\n`) : undefined,
    metadata: operation.hasCompanions ? ([['via', 'http://example.com/']] as const) : undefined,
  }
  if (operation.notModifiedSinceMs !== undefined) {
    const of = { url: operation.url, capturedAtMs: operation.notModifiedSinceMs }
    return { ...shared, block: head, revisit: { kind: 'not-modified', of } }
  }
  const body = bytesOfBody(operation.body)
  return { ...shared, block: operation.isLarge ? largeBlock(head, body) : Buffer.concat([head, body]) }
}

function largeBlock(head: Buffer, body: Buffer): LargeBlock {
  return {
    head,
    length: head.length + body.length,
    payloadBytes: body.length,
    payloadDigest: digestOf('sha256', body),
    async *chunks() {
      yield head
      for (let at = 0; at < body.length; at += 10_000) yield body.subarray(at, at + 10_000)
    },
  }
}
