// What every part that writes contents or captures into the store works with.

import type { Clock } from '../platform/clock.ts'
import type { Random } from '../platform/random.ts'
import type { ContentDigest } from './contents/content-digest.ts'
import type { ContentMatcher } from './contents/content-matcher.ts'
import type { Ledger } from './index/ledger.ts'
import type { StoreIndex } from './index/store-index.ts'
import type { RecordBuilder } from './records/record-builder.ts'
import type { Volumes } from './volumes/volumes.ts'

export interface WritingParts {
  index: StoreIndex
  ledger: Ledger
  volumes: Volumes
  matcher: ContentMatcher
  builder: RecordBuilder
  digest: ContentDigest
  clock: Clock
  random: Random
}
