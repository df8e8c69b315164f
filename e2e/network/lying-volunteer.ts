// A volunteer that is not as it should be, in a process of its own: it says of every page something else than its server does, or takes
// very long.
//
//   node lying-volunteer.ts HOME INVITATION ADDRESS [forging|slow]

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { delaying, forging } from '../../sim/peer/lying-web.ts'
import { realPlatform } from '../../src/app/real-platform.ts'
import { openVolunteer } from '../../src/app/volunteer/open-volunteer.ts'
import { parseAddressRange } from '../../src/crawl/address/address-range.ts'
import { silentLog } from '../../src/platform/log.ts'

const [home, invitation, address, how = 'forging'] = process.argv.slice(2) as [
  string,
  string,
  string,
  string?,
]
const slowMs = 15_000
await mkdir(home, { recursive: true })
const platform = realPlatform()
const honest = await platform.startWeb({ spoolFolder: join(home, 'spool') })
const web = how === 'slow' ? delaying(honest, () => platform.clock.sleep(slowMs)) : forging(honest)
const { peer } = await openVolunteer(
  {
    ...{ platform, web, log: silentLog, ready: async () => {}, sending: async () => {} },
    partBytes: () => Number.POSITIVE_INFINITY,
    ...{ pauseReason: () => undefined, tell: () => {} },
  },
  {
    ...{ home, join: [address], invitation, insecure: false, bundlesMax: 4 },
    allowed: [parseAddressRange('127.0.0.0/8')],
  },
)
process.stdout.write(`${JSON.stringify({ volunteer: peer })}\n`)
