import assert from 'node:assert/strict'
import fc from 'fast-check'
import { plainRecord, refusedOrDone } from '../../model/fixtures/fuzzing.ts'
import { roles } from '../membership/role.ts'
import { type InviteQuestion, inviteAnswer, inviteQuestion } from './invitation-messages.ts'

const question: fc.Arbitrary<InviteQuestion> = plainRecord({
  role: fc.constantFrom(...roles),
  sites: fc.array(fc.domain(), { maxLength: 5 }),
  uses: fc.nat(1_000),
  expiresAtMs: fc.option(fc.nat(), { nil: undefined }),
  addresses: fc.array(fc.constantFrom('/ip4/127.0.0.1/tcp/1', 'example.com:4001'), { maxLength: 5 }),
})

export const properties = [
  {
    name: 'wishes for invitations come as they were sent',
    property: fc.property(question, (asked) => {
      assert.deepEqual(inviteQuestion.decode(Uint8Array.from(inviteQuestion.encode(asked))), asked)
    }),
  },
  {
    name: 'whatever else comes is refused',
    property: fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      refusedOrDone(() => inviteQuestion.decode(bytes))
      refusedOrDone(() => inviteAnswer.decode(bytes))
    }),
  },
]
