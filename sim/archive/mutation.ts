// Where a simulated peer can be made to go wrong, to see that the checker finds it.

import type {
  CaptureCopies,
  CaptureCopiesOptions,
} from '../../src/network/replication/captures/capture-copies.ts'
import type { CopyPlaces } from '../../src/network/replication/captures/places.ts'
import type { CallService } from '../../src/platform/calls/call-services.ts'
import type { KeyValue } from '../../src/platform/storage/key-value.ts'
import type { EntryDisk } from './entry-disk.ts'

/** What a campaign asks of the copies. */
export type PeerCopies = Pick<CaptureCopies, 'start' | 'spread' | 'handOver' | 'status'>

export interface Mutation {
  readonly options?: Partial<CaptureCopiesOptions>
  places?(places: CopyPlaces): CopyPlaces
  /** About copies, as asked of others. */
  calls?(calls: CallService, disk: EntryDisk): CallService
  /** About announcements. */
  announcementCalls?(calls: CallService): CallService
  copies?(copies: PeerCopies): PeerCopies
  disk?(disk: EntryDisk): EntryDisk
  /** What entries are kept in. */
  map?(map: KeyValue): KeyValue
}
