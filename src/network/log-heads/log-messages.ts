// What peers ask each other of their logs: that one head goes on from another, and where a capture is. As bytes.

import { bytes, counter, fixed } from '../../formats/wire/message-fields.ts'
import { list, type Out, optional, record, union } from '../../formats/wire/message-schema.ts'
import { headBytes } from '../../proof/log/log-head.ts'
import { hashBytes } from '../../proof/merkle-tree.ts'

/** A log of 2 ** 63 entries has so many; a proof of consistency one more. */
const pathMax = 64
const path = list(fixed(hashBytes), pathMax)

export const logQuestion = union('question about a log', {
  consistency: { first: counter, second: counter },
  inclusion: { leaf: fixed(hashBytes), signedAtMs: counter },
})
export type LogQuestion = Out<typeof logQuestion>

/** `unknown`: the log never had these sizes, or has not this capture. */
export const logAnswer = union('answer about a log', {
  consistency: { path },
  inclusion: {
    index: counter,
    path,
    head: bytes(headBytes),
    before: optional(record({ head: bytes(headBytes) })),
  },
  unknown: {},
})
export type LogAnswer = Out<typeof logAnswer>
