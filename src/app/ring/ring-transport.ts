// The transport of a peer on the ring: listens as this home's identity, and lets in members of its network.

import { networkInterfaces } from 'node:os'
import { Admission } from '../../network/membership/admission.ts'
import { mdnsNameOf, prologueOf } from '../../network/membership/archive-network.ts'
import { parseJoinAddress } from '../../network/membership/join-address.ts'
import type { MemberDirectory } from '../../network/membership/member-directory.ts'
import type { Membership } from '../../network/membership/membership.ts'
import { NetworkError } from '../../network/membership/network-error.ts'
import type { NetworkFile } from '../../network/membership/network-file.ts'
import { seedOfIdentity } from '../../network/membership/peer-key.ts'
import type { RingCalls } from '../../network/ring/ring.ts'
import type { CallServices } from '../../platform/calls/call-services.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerNetwork, ReachOptions } from '../../platform/network/peer-network.ts'
import { version } from '../../version.ts'
import type { Platform } from '../platform.ts'
import type { MembershipFiles } from './membership-files.ts'
import { ringCalls } from './ring-calls.ts'

export interface TransportOptions {
  /** Where to listen for other peers; on all addresses when no host is given. Port 0 takes any that is free. `nowhere`: nobody can
   * call us. */
  readonly listen: { readonly host?: string | undefined; readonly port: number } | 'nowhere'
  /** When that port is taken, take another: for a port that nobody asked for. */
  readonly isPortFlexible: boolean
  /** Where others reach us, as people write it, when that is not where we listen. */
  readonly announce?: readonly string[] | undefined
  /** Asks for peers on the local network, and answers there. */
  readonly isOnLocalNetwork: boolean
  /** What is done so that others reach us: nothing unless told. */
  readonly reach?: ReachOptions | undefined
}

export interface Transport {
  readonly network: PeerNetwork
  /** Ours as it is now: witnesses make it better. */
  membership(): Membership | undefined
  /** Greets with this membership from now on. */
  becomes(membership: Membership): void
}

export async function startTransport(
  needs: {
    platform: Pick<Platform, 'clock' | 'startNetwork'>
    home: MembershipFiles
    members: MemberDirectory
    log: Log
  },
  file: NetworkFile,
  options: TransportOptions,
): Promise<Transport> {
  const { platform, home, log, members } = needs
  const identity = await home.identity()
  let network: PeerNetwork | undefined
  const ourselves = {
    peer: await home.peer(),
    network: file.network,
    identitySeed: seedOfIdentity(identity),
    program: `polyhistor/${version}`,
    membership: file.membership,
    networkSeed: file.seed,
    addresses: () => network?.addresses() ?? [],
  }
  // A membership that was copied from another home is not ours: others will say so.
  if (file.membership !== undefined) members.beginAs({ ...file.membership, peer: ourselves.peer })
  const greeting = new Admission({ clock: platform.clock, members }, ourselves, (membership) => {
    home.keepMembership(membership).catch((error) => log.error({ err: error }, 'The membership was not kept'))
  })
  const { listen } = options
  const start = (port: number): Promise<PeerNetwork> =>
    platform.startNetwork({
      identity,
      greeting,
      listen: listen === 'nowhere' ? [] : listenAddresses(listen.host, port),
      announce: (options.announce ?? []).map(announced),
      prologue: prologueOf(file.network),
      mdnsName: options.isOnLocalNetwork ? mdnsNameOf(file.network) : undefined,
      reach: options.reach,
    })
  try {
    network = await start(listen === 'nowhere' ? 0 : listen.port)
  } catch (error) {
    if (listen === 'nowhere') throw error
    if (!options.isPortFlexible) {
      throw unusable(listen, error as Error)
    }
    network = await start(0)
  }
  return {
    network,
    membership: () => ourselves.membership,
    becomes: (membership) => {
      ourselves.membership = membership
      members.beginAs(membership)
    },
  }
}

/** The transport's own sentence is about its configuration; what the operating system said is further down in it. */
function unusable(
  { host, port }: Exclude<TransportOptions['listen'], 'nowhere'>,
  { message }: Error,
): NetworkError {
  if (message.includes('EADDRINUSE')) {
    return new NetworkError(
      'network-port-in-use',
      `Port ${port} is in use by another program. Choose another one for other peers with --listen PORT.`,
      'later',
    )
  }
  const why = message.includes('EADDRNOTAVAIL')
    ? `this machine has no address ${host}`
    : (/Error: (.*)/.exec(message)?.[1] ?? message)
  return new NetworkError(
    'network-address',
    `Port ${port} cannot be listened on for other peers: ${why}. Say with --listen where they reach this one.`,
  )
}

function announced(text: string): string {
  const parsed = parseJoinAddress(text)
  if (parsed.kind === 'address') return parsed.address
  throw new NetworkError('network-address', `${JSON.stringify(text)} has no port.`)
}

function listenAddresses(host: string | undefined, port: number): string[] {
  if (host !== undefined) return [`/${host.includes(':') ? 'ip6' : 'ip4'}/${host}/tcp/${port}`]
  const hasVersion6 = Object.values(networkInterfaces()).some((entries) =>
    entries?.some(({ family }) => family === 'IPv6'),
  )
  // The same free port for both cannot be asked for.
  const both = hasVersion6 && port !== 0
  return [`/ip4/0.0.0.0/tcp/${port}`, ...(both ? [`/ip6/::/tcp/${port}`] : [])]
}

/** The transport as the ring asks for it. `answered` is told whenever a peer has answered: who does has taken us in. */
export function transportCalls(
  network: PeerNetwork,
  services: CallServices,
  answered: () => void,
): RingCalls {
  const calls = ringCalls(network, services)
  return {
    ...calls,
    call: async (peer, bytes, options) => {
      const answer = await calls.call(peer, bytes, options)
      answered()
      return answer
    },
    observedAddress: (peer) =>
      ipOf(network.connected().find((connected) => connected.peer === peer)?.address),
  }
}

/** `/ip4/192.0.2.1/tcp/7071` → `192.0.2.1`; through a relay nothing is seen of where the other is. */
function ipOf(address: string | undefined): string | undefined {
  if (address?.includes('/p2p-circuit')) return undefined
  return /^\/ip[46]\/([^/]+)\//.exec(address ?? '')?.[1]
}
