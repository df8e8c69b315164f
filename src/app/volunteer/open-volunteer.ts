// A volunteer of a home: its identity and invitation, a connection to the peers of its network, and the web as its owner allows it.
//
// It goes onto no ring, listens nowhere, and writes nothing but who it is.

import { AddressGuard } from '../../crawl/address/address-guard.ts'
import type { AddressRange } from '../../crawl/address/address-range.ts'
import { readInvitation } from '../../network/membership/invitation.ts'
import { MemberDirectory } from '../../network/membership/member-directory.ts'
import { NetworkError } from '../../network/membership/network-error.ts'
import { seedOfIdentity } from '../../network/membership/peer-key.ts'
import { TicketChoice } from '../../network/membership/tickets/ticket-choice.ts'
import { isOfNetwork } from '../../network/releases/release.ts'
import { CallServices } from '../../platform/calls/call-services.ts'
import { Calls } from '../../platform/calls/calls.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Web } from '../../platform/network/web.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import { SigningKey } from '../../proof/ed25519.ts'
import { version } from '../../version.ts'
import { Volunteer, type VolunteerNeeds } from '../../volunteer/volunteer.ts'
import type { Platform } from '../platform.ts'
import { MembershipFiles } from '../ring/membership-files.ts'
import { resolveJoinAddresses } from '../ring/ring-joining.ts'
import { startTransport } from '../ring/ring-transport.ts'
import { claimTicket } from '../ring/ticket-claim.ts'

interface OpenVolunteerNeeds
  extends Pick<VolunteerNeeds, 'ready' | 'sending' | 'partBytes' | 'pauseReason' | 'released' | 'tell'> {
  readonly platform: Pick<Platform, 'clock' | 'random' | 'files' | 'startNetwork' | 'lookUpText'>
  readonly web: Web
  readonly log: Log
}

export interface OpenVolunteerOptions {
  readonly home: string
  /** Addresses of peers, as people write them. */
  readonly join: readonly string[]
  readonly invitation?: string | undefined
  readonly allowed: readonly AddressRange[]
  readonly insecure: boolean
  readonly bundlesMax: number
}

export interface OpenVolunteer {
  readonly volunteer: Volunteer
  readonly peer: PeerId
  close(): Promise<void>
}

/** While it knows nobody, or nobody answers, it looks again for those that it was told of. */
const meetMs = 10_000

export async function openVolunteer(
  needs: OpenVolunteerNeeds,
  options: OpenVolunteerOptions,
): Promise<OpenVolunteer> {
  const { platform, web, log, ready, sending, partBytes, pauseReason, released, tell } = needs
  const { clock, random } = platform
  const home = new MembershipFiles(options.home, platform)
  const invitation = options.invitation === undefined ? undefined : readInvitation(options.invitation)
  const kept = await home.network()
  const file = (invitation && (await home.entering(invitation, clock.nowMs()))) ?? kept
  if (file === undefined)
    throw new NetworkError(
      'network-none',
      'A volunteer needs an invitation: polyhistor volunteer --invite … (they make one with: polyhistor network invite --role volunteer)',
    )
  const members = new MemberDirectory({ clock }, file.network, new Set(file.oldMembers))
  // It dials peers behind routers, and nobody dials it.
  const reach = { portMapping: false, relays: false, holePunching: true, relaying: undefined }
  const quiet = { listen: 'nowhere', isPortFlexible: false, isOnLocalNetwork: false, reach } as const
  const transport = await startTransport({ platform, home, members, log }, file, quiet)
  const { network } = transport
  const lookUpText = (name: string) => platform.lookUpText(name)
  const told = [...options.join, ...(invitation?.addresses ?? [])]
  try {
    const choice = new TicketChoice({ random }, file, network.self, invitation)
    await claimTicket(
      { transport, choice, clock, log, lookUpText },
      { told, remembered: [], isNew: kept === undefined },
    )
    const entered = { ...choice.file, membership: transport.membership() }
    if (kept === undefined) await home.keepNew(entered)
    else await home.keep(entered)
    const services = new CallServices(new Calls({ network, clock, random }))
    const key = new SigningKey(seedOfIdentity(await home.identity()))
    const volunteer = new Volunteer(
      {
        ...{ clock, random, web, key, ready, sending, partBytes, pauseReason, released, tell },
        isOfNetwork: (release) => isOfNetwork(release, file.network),
        calls: services.service('volunteers'),
        guard: new AddressGuard(options.allowed),
        program: `polyhistor/${version}`,
        insecure: options.insecure,
        learn: (peer, addresses) => network.learn(peer, [...addresses]),
      },
      { bundlesMax: options.bundlesMax },
    )
    const addresses = await resolveJoinAddresses({ lookUpText, log }, told)
    const meetAll = async () => {
      if (volunteer.leaders > 0) return
      for (const address of addresses) {
        const peer = await network.meet(address).catch(() => undefined)
        if (peer !== undefined) volunteer.meet(peer)
      }
    }
    await meetAll()
    const meeting = new PeriodicTask({ clock }, meetMs, meetAll)
    return {
      volunteer,
      peer: network.self,
      close: async () => {
        await meeting.close()
        await volunteer.close()
        await web.close()
        await network.close()
      },
    }
  } catch (error) {
    await network.close()
    throw error
  }
}
