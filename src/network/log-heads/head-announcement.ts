// `log-head`: the head of a peer's log of captures, said by each of its own. It is signed by itself, too, so that it can be shown to
// people outside the network.

import { decodeHead, headBytes, isHeadSigned } from '../../proof/log/log-head.ts'
import type { AnnouncementKind } from '../announcements/announcement-kind.ts'
import { publicKeyOfPeer } from '../membership/peer-key.ts'

export const logHeadKind: AnnouncementKind = {
  kind: 'log-head',
  nameBytesMax: 200,
  valueBytesMax: headBytes,
  countMax: 1,
  bytesMax: 1_000,
  // One a minute, and one at each start and stop.
  changes: { burst: 60, perMinute: 4 },
  fault: ({ name, value, peer }) => {
    if (name !== peer) return 'only a peer itself tells the head of its log'
    const [head, key] = [decodeHead(value), publicKeyOfPeer(peer)]
    if (head === undefined) return 'it is no head of a log'
    return key !== undefined && isHeadSigned(head, key) ? undefined : 'the head is not signed by its peer'
  },
  adopt: () => undefined,
}
