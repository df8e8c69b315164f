// A response as the store keeps it: the block of a WARC response record, head and body.
//
// The head is as it came, but for one header. The body has its transfer-coding undone, as payloads and their digests
// are defined; a head that still said `Transfer-Encoding: chunked` would make every reader decode it once more, and a
// body that happens to look like chunks would be destroyed by it. So that header is renamed to
// X-Orig-Transfer-Encoding, as Browsertrix does: nothing is lost, nothing is said that is not so. Content-Encoding and
// Content-Length stay: the one is true of the body, the other is what the server said.

import assert from 'node:assert/strict'
import { findEmptyLine } from '../../formats/http/field-list.ts'
import type { LargeBlock } from '../../model/large-block.ts'
import type { WebResponse } from '../../platform/network/web.ts'

interface ResponseBlock {
  readonly block: Uint8Array | LargeBlock
  /** Where the body begins in the block. */
  readonly headBytes: number
}

export function blockOf({ head, body }: Pick<WebResponse, 'head' | 'body'>): ResponseBlock {
  const kept = withoutTransferEncoding(head)
  if (body.kind === 'memory') {
    return { block: joined(kept, body.parts, kept.length + body.length), headBytes: kept.length }
  }
  const block: LargeBlock = {
    head: kept,
    length: kept.length + body.length,
    payloadBytes: body.length,
    payloadDigest: body.digest,
    async *chunks() {
      yield kept
      yield* body.chunks()
    },
  }
  return { block, headBytes: kept.length }
}

/** In memory of its own, which can be handed to another thread. */
function joined(head: Uint8Array, parts: readonly Uint8Array[], length: number): Uint8Array {
  const block = Buffer.allocUnsafeSlow(length)
  block.set(head)
  let end = head.length
  for (const part of parts) {
    block.set(part, end)
    end += part.length
  }
  assert.equal(end, length)
  return block
}

const line = /^(Transfer-Encoding)(?=[ \t]*:)/gim

function withoutTransferEncoding(head: Uint8Array): Buffer {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  // A head without its empty line would take the body's first line for a header.
  const closed = findEmptyLine(bytes) < 0 ? Buffer.concat([bytes, Buffer.from('\r\n\r\n')]) : bytes
  const text = closed.toString('latin1')
  const renamed = text.replace(line, 'X-Orig-$1')
  return renamed === text ? closed : Buffer.from(renamed, 'latin1')
}
