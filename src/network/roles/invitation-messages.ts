// What an administrator asks the home with the network's key for: an invitation. As bytes.

import { choice, counter, printable, text } from '../../formats/wire/message-fields.ts'
import { list, type Out, optional, record, union } from '../../formats/wire/message-schema.ts'
import { addressesMax, addressLengthMax, invitationCharsMax } from '../membership/invitation.ts'
import { roles, siteCharsMax, sitesMax } from '../membership/role.ts'

export const inviteQuestion = record({
  role: choice(roles),
  sites: list(text(siteCharsMax), sitesMax),
  uses: counter,
  expiresAtMs: optional(counter),
  /** Where who is invited begins. */
  addresses: list(text(addressLengthMax), addressesMax),
})
export type InviteQuestion = Out<typeof inviteQuestion>

export const inviteAnswer = union('answer to who wants to invite', {
  invited: { invitation: printable(invitationCharsMax) },
  /** Why not, for people to read. */
  refused: { why: text(1_000) },
})
