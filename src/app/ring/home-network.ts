// The network of a home, for commands that need no running peer: what it is, a new one, invitations.

import { type ArchiveNetwork, isNetworkName, networkIdOf } from '../../network/membership/archive-network.ts'
import { invite, writeInvitation } from '../../network/membership/invitation.ts'
import { NetworkError } from '../../network/membership/network-error.ts'
import type { NetworkFile } from '../../network/membership/network-file.ts'
import { isAtLeast, type Role } from '../../network/membership/role.ts'
import { RoleError } from '../../network/roles/role-error.ts'
import type { Clock } from '../../platform/clock.ts'
import { RealClock } from '../../platform/real/clock.ts'
import { realPrivateFiles } from '../../platform/real/private-files.ts'
import { RealRandom } from '../../platform/real/random.ts'
import { MembershipFiles, type MembershipNeeds } from './membership-files.ts'

export { probationMsMax, usesMax } from '../../network/membership/invitation.ts'
export { isRole, type Role, roles } from '../../network/membership/role.ts'

interface DescribedNetwork {
  readonly id: string
  readonly name: string
  readonly kind: ArchiveNetwork['kind']
}

export interface CreatedNetwork extends DescribedNetwork {
  readonly invitation: string
  /** Where the invited begin. */
  readonly addresses: readonly string[]
  readonly expiresAt?: string
  /** Members that it is good for; everybody, in open networks. */
  readonly uses?: number
  /** What they are; members, in open networks. */
  readonly role?: Role
  /** Of curators, where they are not for all sites. */
  readonly sites?: readonly string[]
  /** How long members have to prove themselves, unless they are trusted. */
  readonly probationMs?: number
}

interface WantedInvitation {
  readonly addresses: readonly string[]
  readonly expiresInMs?: number | undefined
  /** Instead of that, a time. */
  readonly expiresAtMs?: number | undefined
  /** One when not given. */
  readonly uses?: number | undefined
  /** 'member' when not given. */
  readonly role?: Role | undefined
  readonly sites?: readonly string[] | undefined
  /** How long members have to prove themselves; trusted when not given. */
  readonly probationMs?: number | undefined
}

/** Of the invitation that comes with a new network: enough for a small one. */
const usesOfFirst = 16

export async function describeHomeNetwork(
  folder: string,
): Promise<(DescribedNetwork & { peer: string; canInvite: boolean }) | undefined> {
  const home = new MembershipFiles(folder)
  const file = await home.network()
  if (file === undefined) return undefined
  const canInvite = file.seed !== undefined || file.network.kind === 'open'
  return { ...described(file.network), peer: await home.peer(), canInvite }
}

interface HomeNeeds extends MembershipNeeds {
  readonly clock: Clock
}

/** For the commands of a home. */
const onThisMachine: HomeNeeds = {
  clock: new RealClock(),
  random: new RealRandom(),
  files: realPrivateFiles,
}

export async function createHomeNetwork(
  folder: string,
  name: string,
  kind: ArchiveNetwork['kind'],
  needs = onThisMachine,
): Promise<CreatedNetwork> {
  if (!isNetworkName(name)) {
    throw new NetworkError('network-address', 'A network needs a name of 1 to 100 characters.')
  }
  const file = await new MembershipFiles(folder, needs).create(name, kind)
  return invitationOf(needs, file, { addresses: [], uses: usesOfFirst })
}

export async function inviteToHomeNetwork(
  folder: string,
  options: WantedInvitation,
  needs = onThisMachine,
): Promise<CreatedNetwork> {
  const file = await new MembershipFiles(folder, needs).network()
  if (file === undefined) {
    throw new NetworkError(
      'network-none',
      'This home has no network yet. Make one with: polyhistor network create NAME',
    )
  }
  return invitationOf(needs, file, options)
}

/** For commands on a home whose peer does not run: throws 'role-lacking' where it may not take down for its network, as far as it knew
 * when it last ran. */
export async function checkHomeMayTakeDown(
  folder: string,
  needs: MembershipNeeds = onThisMachine,
): Promise<void> {
  const home = new MembershipFiles(folder, needs)
  const file = await home.network()
  if (file === undefined || file.seed !== undefined) return
  const role = (await home.roles())?.own ?? file.membership?.grant.named?.role
  if (role === undefined || isAtLeast(role, 'curator')) return
  throw new RoleError(
    'role-lacking',
    `This peer is a ${role}: to take down is for administrators and curators of the network. Start the peer, and polyhistor network roles lists them. What lies on this disk alone can be destroyed with --now.`,
  )
}

/** Nothing may run on the home. */
export function leaveHomeNetwork(folder: string, needs: MembershipNeeds = onThisMachine): Promise<void> {
  return new MembershipFiles(folder, needs).leaveNetwork()
}

function invitationOf(
  { clock, random }: HomeNeeds,
  { network, seed }: NetworkFile,
  options: WantedInvitation,
): CreatedNetwork {
  const { addresses, expiresInMs, uses = 1, role = 'member', sites = [], probationMs } = options
  if (seed === undefined && network.kind === 'invited') {
    throw new NetworkError(
      'network-not-ours',
      'The home in which the network was made signs invitations: run this there, or start this peer, if it is an administrator.',
    )
  }
  const expiresAtMs =
    expiresInMs === undefined ? options.expiresAtMs : Math.round(clock.nowMs() + expiresInMs)
  if (network.kind === 'open' && role !== 'member') {
    throw new NetworkError(
      'network-invitation-malformed',
      'To an open network nobody needs an invitation: it cannot carry a role. Give the role with: polyhistor network grant PEER ROLE',
    )
  }
  const invitation = invite(network, seed ?? new Uint8Array(), random, {
    addresses,
    expiresAtMs,
    uses,
    role,
    sites,
    probationMs,
  })
  return {
    ...described(network),
    invitation: writeInvitation(invitation),
    addresses,
    ...(network.kind === 'invited' && { uses, role }),
    ...(sites.length > 0 && { sites }),
    ...(probationMs !== undefined && { probationMs }),
    ...(expiresAtMs !== undefined && { expiresAt: new Date(expiresAtMs).toISOString() }),
  }
}

function described(network: ArchiveNetwork): DescribedNetwork {
  return { id: networkIdOf(network), name: network.name, kind: network.kind }
}
