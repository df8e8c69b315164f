// The process of a volunteer, whole: it runs by itself, under Node's permission model, with a folder of its own and nothing else.
//
// It loads little: no store, no index, no native code. What it may use of the machine is in volunteer-machine.ts.

import { join } from 'node:path'
import { parseAddressRange } from '../../crawl/address/address-range.ts'
import { type Release, writeRelease } from '../../network/releases/release.ts'
import type { Log } from '../../platform/log.ts'
import type { HttpServer } from '../../platform/network/http-server.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import { RealClock } from '../../platform/real/clock.ts'
import { RealDisk } from '../../platform/real/disk/disk.ts'
import { startHttpServer } from '../../platform/real/http-server/http-server.ts'
import { lookUpText } from '../../platform/real/network/names.ts'
import { startNetwork } from '../../platform/real/network/network.ts'
import { RealRandom } from '../../platform/real/random.ts'
import { sandboxedFiles } from '../../platform/real/sandboxed-files.ts'
import { startWeb } from '../../platform/real/web/web.ts'
import { limitsIn, OwnedLimits, type OwnerLimits, ownerLimitsDefault } from '../../volunteer/owner-limits.ts'
import { openVolunteer } from './open-volunteer.ts'
import { releaseName } from './volunteer-exit.ts'
import { realVolunteerMachine, releaseMemory } from './volunteer-machine.ts'
import { VolunteerPage } from './volunteer-page.ts'

/** Plain data: it comes from another process. */
export interface VolunteerSettings {
  /** Its own folder. */
  readonly folder: string
  readonly invitation?: string | undefined
  readonly join: readonly string[]
  readonly allowed: readonly string[]
  readonly insecure: boolean
  readonly bundles: number
  /** Where its page is; 0 for any port that is free. */
  readonly pagePort: number
  readonly limits: Partial<OwnerLimits>
  /** It ends when a later version is out, so that whoever started it can update it. Not for this version, which was tried in vain. */
  readonly updates?: { readonly except?: string | undefined } | undefined
}

export interface RunningVolunteer {
  readonly peer: string
  /** The one-time link to its page. */
  readonly link: string
  figures(): { readonly pages: number; readonly bytes: number; readonly leaders: number }
  close(): Promise<void>
}

/** Of idling, before memory is given back. */
const idleLookMs = 15_000
/** Bodies larger than this are the peer's own to fetch. */
const bodyBytesMax = 9 * 1024 * 1024

export async function runVolunteer(
  needs: { log: Log; tell(sentence: string): void; update(): void },
  settings: VolunteerSettings,
): Promise<RunningVolunteer> {
  const { log, tell } = needs
  const { folder } = settings
  const [clock, random, disk, files] = [new RealClock(), new RealRandom(), new RealDisk(), sandboxedFiles]
  const limitsPath = join(folder, 'limits.json')
  const kept = await files.read(limitsPath)
  const before = (kept && limitsIn(Buffer.from(kept).toString())) ?? ownerLimitsDefault
  const machine = realVolunteerMachine()
  // Who starts it means it to run.
  const limits = new OwnedLimits({ clock, machine }, { ...before, ...settings.limits, isStopped: false })
  const web = await startWeb(
    { clock, random, disk },
    {
      spoolFolder: join(folder, 'spool'),
      memoryBytesMax: bodyBytesMax,
      connectionsMax: 64,
      received: (bytes) => limits.received(bytes),
    },
  )
  const noteRelease = async (release: Release): Promise<void> => {
    const { updates } = settings
    if (updates === undefined) return tell(`Version ${release.version} is out: ${updateAdvice(release)}`)
    // Why it came to nothing was told by who tried.
    if (updates.except === release.version) return
    tell(`Version ${release.version} is out: this volunteer is updated.`)
    await files.write(join(folder, releaseName), writeRelease(release))
    needs.update()
  }
  const opened = await openVolunteer(
    {
      platform: { clock, random, files, startNetwork: (options) => startNetwork(options), lookUpText },
      ...{ web, log, tell },
      released: (release) => void noteRelease(release),
      ready: (signal) => limits.ready(signal),
      sending: (bytes, signal) => limits.sending(bytes, signal),
      partBytes: () => limits.partBytes,
      pauseReason: () => limits.pauseReason(),
    },
    {
      home: folder,
      join: settings.join,
      invitation: settings.invitation,
      allowed: settings.allowed.map(parseAddressRange),
      insecure: settings.insecure,
      bundlesMax: settings.bundles,
    },
  )
  const { volunteer, peer } = opened
  const page = new VolunteerPage({
    ...{ clock, random, volunteer, limits },
    memoryBytes: () => machine.memoryBytes(),
    kept: async (changed) => {
      await files.write(limitsPath, JSON.stringify(changed))
    },
  })
  const server: HttpServer = await startHttpServer(
    { host: '127.0.0.1', port: settings.pagePort },
    (request) => page.answer(request),
  )
  // Since the start, or since the last bundle: once each time.
  let releasedAfter = -1
  const idling = new PeriodicTask({ clock }, idleLookMs, () => {
    const { bundles } = volunteer.figures
    if (volunteer.running > 0 || bundles === releasedAfter) return
    releasedAfter = bundles
    releaseMemory()
  })
  return {
    peer,
    link: `http://127.0.0.1:${server.port}${page.newLink()}`,
    figures: () => ({
      pages: volunteer.figures.pages,
      bytes: volunteer.figures.bytes,
      leaders: volunteer.leaders,
    }),
    close: async () => {
      await idling.close()
      await opened.close()
      await server.close(1_000)
    },
  }
}

/** What the owner does with it. */
function updateAdvice({ version }: Pick<Release, 'version'>): string {
  return `stop this volunteer, run npm install --global polyhistor@${version}, and start it again; or start it with --update, then it does so by itself.`
}
