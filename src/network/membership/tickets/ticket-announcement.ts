// `ticket`: which ticket a peer holds, said by each of itself, with the membership that proves it. So claims are known to all, and
// over restarts: a door that was just opened again still knows whose a ticket is.
//
// Whether a claim holds, and which of two, is the member directory's business (src/network/membership/member-directory.ts).

import { PolyhistorError } from '../../../errors.ts'
import type { AnnouncementKind } from '../../announcements/announcement-kind.ts'
import { readProof } from '../member-directory.ts'

/** A membership with all the witnesses that it may have. */
const proofBytesMax = 16 * 1024

export const ticketKind: AnnouncementKind = {
  kind: 'ticket',
  nameBytesMax: 200,
  valueBytesMax: proofBytesMax,
  countMax: 1,
  bytesMax: 2 * proofBytesMax,
  changes: { burst: 10, perMinute: 0.1 },
  fault: ({ name, value, peer }) => {
    if (name !== peer) return 'only a peer itself says which ticket it holds'
    try {
      return readProof(value).peer === peer ? undefined : 'the ticket is of another peer'
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return error.message
    }
  },
  adopt: () => undefined,
}
