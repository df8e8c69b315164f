// The records of one capture: what was answered, what was asked, what is known besides.
//
// All have the same date and name the response with WARC-Concurrent-To; the response comes first, so that whoever
// indexes a file as it is read knows the capture before its details.

import type { Field } from '../http/field-list.ts'
import type { RevisitKind, WarcBlock, WarcRecord } from './record.ts'
import {
  type BlockInput,
  type CaptureContext,
  metadata,
  type Revisited,
  request,
  response,
  revisit,
} from './record-builder.ts'

interface CaptureInput<Block extends WarcBlock> extends Omit<CaptureContext, 'id' | 'concurrentTo'> {
  /** With `revisited`, a revisit record is made in place of a response. */
  readonly response: BlockInput<Block> & {
    readonly id: string
    readonly revisited?: { readonly kind: RevisitKind; readonly refersTo: Revisited } | undefined
  }
  readonly request?: (BlockInput<Uint8Array> & { readonly id: string }) | undefined
  readonly metadata?: { readonly id: string; readonly fields: readonly Field[] } | undefined
}

interface CaptureRecords<Block extends WarcBlock> {
  readonly response: WarcRecord<Block>
  readonly request: WarcRecord | undefined
  readonly metadata: WarcRecord | undefined
}

export function captureRecords<Block extends WarcBlock>(input: CaptureInput<Block>): CaptureRecords<Block> {
  const { response: answer, request: question, metadata: details, truncated, protocols, ...shared } = input
  const { revisited } = answer
  const context = { ...shared, truncated, protocols }
  const concurrentTo = [answer.id]
  return {
    response: revisited
      ? revisit({ ...context, ...answer, ...revisited })
      : response({ ...context, ...answer }),
    request: question && request({ ...shared, protocols, concurrentTo, ...question }),
    metadata: details && metadata({ ...shared, concurrentTo, ...details }),
  }
}
