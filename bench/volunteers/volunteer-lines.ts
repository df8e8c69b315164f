// The process with the volunteers: as many as it is told to have, each with a key and a connection of its own.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AddressGuard } from '../../src/crawl/address/address-guard.ts'
import { parseAddressRange } from '../../src/crawl/address/address-range.ts'
import { seedOfIdentity } from '../../src/network/membership/peer-key.ts'
import { CallServices } from '../../src/platform/calls/call-services.ts'
import { Calls } from '../../src/platform/calls/calls.ts'
import { RealClock } from '../../src/platform/real/clock.ts'
import { RealDisk } from '../../src/platform/real/disk/disk.ts'
import { newIdentity } from '../../src/platform/real/network/identity.ts'
import { startNetwork } from '../../src/platform/real/network/network.ts'
import { RealRandom } from '../../src/platform/real/random.ts'
import { startWeb } from '../../src/platform/real/web/web.ts'
import { SigningKey } from '../../src/proof/ed25519.ts'
import { Volunteer } from '../../src/volunteer/volunteer.ts'

const leader = JSON.parse(process.argv[2]!) as { peer: string; addresses: string[] }
const folder = mkdtempSync(join(tmpdir(), 'polyhistor-bench-'))
const [clock, random, disk] = [new RealClock(), new RealRandom(), new RealDisk()]
const guard = new AddressGuard([parseAddressRange('127.0.0.0/8')!])
let running: { close(): Promise<void> }[] = []

async function add(): Promise<void> {
  const identity = await newIdentity()
  const network = await startNetwork({ listen: [], identity })
  network.learn(leader.peer, leader.addresses)
  const web = await startWeb({ clock, random, disk }, { spoolFolder: join(folder, network.self) })
  const volunteer = new Volunteer(
    {
      ...{ clock, random, web, guard, program: 'bench', learn: () => {}, tell: () => {} },
      key: new SigningKey(seedOfIdentity(identity)),
      calls: new CallServices(new Calls({ network, clock, random })).service('volunteers'),
      ...{ ready: async () => {}, sending: async () => {} },
      ...{ pauseReason: () => undefined, partBytes: () => Number.POSITIVE_INFINITY },
    },
    { bundlesMax: 4 },
  )
  volunteer.meet(leader.peer)
  running.push({
    close: async () => {
      await volunteer.close()
      await network.close()
      await web.close()
    },
  })
}

process.on('message', async (count: number) => {
  await Promise.all(running.map((one) => one.close()))
  running = []
  while (running.length < count) await add()
  process.send!('ready')
})
process.on('disconnect', () => {
  rmSync(folder, { recursive: true })
  process.exit()
})
