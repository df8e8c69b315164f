// What peers ask each other to see whether copies are there: a sign of life, to know how long the way takes, and a challenge; and the
// word of a newcomer that it keeps a spare copy, for which it wants to be challenged. As bytes.

import { fixed, number } from '../../formats/wire/message-fields.ts'
import { list, type Out, union } from '../../formats/wire/message-schema.ts'
import { captureKey } from '../replication/captures/wire/questions.ts'

export const nonceBytes = 16
export const digestBytes = 32
export const keysMax = 256
export const stepsMax = 64

export const auditQuestion = union('question of an audit', {
  ping: {},
  /** Show that you have these: see audit-chain.ts. */
  challenge: { nonce: fixed(nonceBytes), steps: number(stepsMax), keys: list(captureKey, keysMax) },
  /** I am on probation, and keep what lies where my first place would be. */
  spare: {},
})
export type AuditQuestion = Out<typeof auditQuestion>

export const auditAnswer = union('answer of an audit', {
  pong: {},
  /** `lacking`: which of the keys are not here, or cannot be read. The digest is of the chain over the others. */
  shown: { lacking: list(number(keysMax - 1), keysMax), digest: fixed(digestBytes) },
})
export type AuditAnswer = Out<typeof auditAnswer>
