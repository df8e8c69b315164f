// The ring's part of `polyhistor peer`: with others where the home has a network or is to have one, else alone.

import type { HomePeerNetwork } from '../../app/home-peer.ts'
import { profileOf } from '../../app/profiles/profile-home.ts'
import { describeHomeNetwork } from '../../app/ring/home-network.ts'
import { DiskShare } from '../../app/share/disk-share.ts'
import { listenPlace, wholeNumber } from '../../config/kinds.ts'
import type { LiveSettings } from '../../config/live-settings.ts'
import { type SettingName, settings } from '../../config/settings.ts'
import type { Log } from '../../platform/log.ts'
import type { ReachOptions } from '../../platform/network/peer-network.ts'
import { RealDisk } from '../../platform/real/disk/disk.ts'
import type { Context } from '../context.ts'
import { optionValue } from '../input/option-values.ts'
import { short } from '../output/progress.ts'
import { UsageError } from '../usage-error.ts'

export interface RingCommandOptions {
  listen?: string
  join?: string[]
  invite?: string
  positions?: string
  share?: string
  copies?: string
}

const positionsMax = 16
const copiesMax = 16

/** What makes this home's peer one of its network; undefined where it has none. */
export async function networkOptions(
  context: Context,
  options: RingCommandOptions,
  share: DiskShare | undefined,
  live: LiveSettings,
): Promise<HomePeerNetwork | undefined> {
  if (share === undefined) {
    checkAlone(options)
    return undefined
  }
  const { home, log, configuration } = context
  const { values } = configuration
  const copies = copiesOf(configuration, options)
  await tellRoom(share, log)
  return {
    share,
    ring: ringPeerOptions(context, options),
    archive: {
      home: home.folder,
      copies,
      copiesMin: Math.min(copies, values['ring.copiesMin']),
      knownContent: values['network.knownContent'],
      get deadShare() {
        return live.of('store.deadShare')
      },
      volunteers: {
        newcomerPages: values['volunteers.newcomerPages'],
        checkShare: values['volunteers.checkShare'],
      },
      patienceMs: values['ring.patience'],
      get repairRate() {
        return live.of('ring.repairRate')
      },
      audits: { bytesPerSecond: values['audits.rate'], roundMs: values['audits.every'] },
      corroboration: {
        share: values['corroboration.share'],
        sameNetwork: values['corroboration.sameNetwork'],
      },
      siteCaptures: values['ring.siteCaptures'],
      evenPlaces: values['ring.evenPlaces'] ? {} : undefined,
    },
  }
}

async function tellRoom(share: DiskShare, log: Log): Promise<void> {
  const { shareBytes } = await share.state()
  if (shareBytes < share.shareBytes)
    log.warn(
      { share: short(share.shareBytes), room: short(shareBytes) },
      'The disk has less room than --share gives to the network: what it has is given',
    )
}

/** What this home gives to its network; undefined when it has none. */
export async function shareOf(
  context: Context,
  options: RingCommandOptions,
  reserveBytes: () => number,
): Promise<DiskShare | undefined> {
  if (!(await isNetworked(context, options))) return undefined
  const { configuration, home } = context
  const { 'store.volumeSize': volumeBytes } = configuration.values
  const disk = new RealDisk()
  return new DiskShare(
    [home.folder],
    shareBytesOf(configuration, options),
    () => performance.now(),
    volumeBytes,
    async (folder) => (await disk.freeBytes(folder)) - reserveBytes(),
  )
}

/** What would be for nothing is better not asked for. */
function checkAlone(options: RingCommandOptions): void {
  for (const name of ['positions', 'share', 'copies'] as const) {
    if (options[name] === undefined) continue
    throw new UsageError(
      `--${name} is for a peer of a network, and this home has none. Make one with: polyhistor network create NAME; or join one with --invite.`,
    )
  }
}

/** Nothing is listened on for others before somebody asked for it. */
async function isNetworked({ home, configuration }: Context, options: RingCommandOptions): Promise<boolean> {
  // What it is asked for is refused where it would be done; what the settings say is for the home that it belongs to.
  if ((await profileOf(home.folder)) !== undefined) return isAsked(options)
  if (isAsked(options)) return true
  const names: SettingName[] = ['ring.listen', 'ring.join', 'ring.announce']
  if (names.some((name) => configuration.sources[name] !== 'default')) return true
  return (await describeHomeNetwork(home.folder)) !== undefined
}

function isAsked({ listen, join, invite }: RingCommandOptions): boolean {
  return listen !== undefined || join !== undefined || invite !== undefined
}

function ringPeerOptions({ home, configuration }: Context, options: RingCommandOptions) {
  const { values, sources } = configuration
  const { listen, invite } = options
  return {
    home: home.folder,
    listen: listen === undefined ? values['ring.listen'] : optionValue(listenPlace, '--listen', listen),
    isPortFlexible: listen === undefined && sources['ring.listen'] === 'default',
    announce: values['ring.announce'],
    join: [...(options.join ?? []), ...values['ring.join']],
    invitation: invite,
    keepsPlaces: values['ring.evenPlaces'],
    isOnLocalNetwork: values['ring.mdns'],
    reach: reachOptions(configuration),
    ring: { positions: positionsOf(configuration, options), replicas: copiesOf(configuration, options) },
  }
}

/** Peers on this machine are never asked, so nothing comes of it where all others are here. */
function reachOptions({ values }: Context['configuration']): ReachOptions {
  const { 'network.relayPeers': peersMax, 'network.relayData': bytesMax } = values
  return {
    portMapping: values['network.upnp'],
    relays: values['network.relays'],
    holePunching: values['network.holePunching'],
    relaying: peersMax === 0 ? undefined : { peersMax, bytesMax, msMax: values['network.relayTime'] },
  }
}

function copiesOf({ values }: Context['configuration'], { copies }: RingCommandOptions): number {
  return copies === undefined
    ? values['ring.replicas']
    : optionValue(wholeNumber(1, copiesMax), '--copies', copies)
}

function positionsOf({ values }: Context['configuration'], { positions, share }: RingCommandOptions): number {
  if (positions !== undefined) return optionValue(wholeNumber(1, positionsMax), '--positions', positions)
  const shareBytes = shareBytesOf({ values }, { share })
  if (share === undefined && values['ring.positions'] > 0) return values['ring.positions']
  return Math.min(positionsMax, Math.max(1, Math.round(shareBytes / values['ring.positionSize'])))
}

function shareBytesOf(
  { values }: Pick<Context['configuration'], 'values'>,
  { share }: Pick<RingCommandOptions, 'share'>,
): number {
  return share === undefined
    ? values['ring.share']
    : optionValue(settings['ring.share'].kind, '--share', share)
}
