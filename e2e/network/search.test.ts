import assert from 'node:assert/strict'
import { test } from 'vitest'
import { tortureSearch } from './search-torture.ts'

const minutes = 60_000
/** Five seconds are for a machine that does nothing else: `npm run torture -- search` holds it to them. */
const hiddenMsMax = 5 * minutes

test(
  'eight peers with three copies find what one index finds, also with two killed, and nothing that was taken down',
  async () => {
    const said: string[] = []
    const tell = (sentence: string) => void said.push(sentence)
    const failures = await tortureSearch({
      seed: 'search',
      peers: 8,
      pages: 96,
      queries: 48,
      hiddenMsMax,
      tell,
    })
    assert.deepEqual(failures, [], said.join('\n'))
  },
  40 * minutes,
)
