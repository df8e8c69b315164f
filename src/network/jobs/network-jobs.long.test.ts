import { test } from 'vitest'
import {
  countersDoNotFall,
  endsWhenAllIsFetched,
  losesNoPage,
  waitsForCopies,
} from './fixtures/seeded-jobs.ts'

test.each([2, 3, 4, 5])(
  'peers that lose their disks lose no page of a job, and it ends when all were fetched (seed %i)',
  losesNoPage,
)

test.each([2, 3, 4, 5])(
  'the counters of a job do not fall when peers are lost for good, whoever is asked (seed %i)',
  countersDoNotFall,
)

test.each([2, 3])(
  'a job does not end before all was fetched when a peer takes leave in the middle (seed %i)',
  endsWhenAllIsFetched,
)

test.each([13, 14, 15])(
  'the end of a job waits for the copies of who has taken leave, though nobody has anything queued (seed %i)',
  waitsForCopies,
)
