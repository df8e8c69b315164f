// Invitation desk: administrators have the home with the network's key sign their invitations.
//
// Invariants: the key never leaves its home, and it is that home which draws an invitation's salt, so that no administrator has a say in
// where the invited lie on the ring. It signs for who is an administrator at that moment, and not for more in an hour than `budget`
// allows. Where naming an administrator takes several, none is invited by one of them alone.
// Why no keys of administrators' own: docs/decisions/0116.

import { PolyhistorError } from '../../errors.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Random } from '../../platform/random.ts'
import { TokenBuckets } from '../announcements/token-buckets.ts'
import { type ArchiveNetwork, networkIdOf } from '../membership/archive-network.ts'
import { invite, readInvitation, roleOfGrant, usesMax, writeInvitation } from '../membership/invitation.ts'
import type { NamedRole } from '../membership/role.ts'
import type { Seed } from '../membership/signing.ts'
import type { EffectiveSettings } from './effective-settings.ts'
import { type InviteQuestion, inviteAnswer, inviteQuestion } from './invitation-messages.ts'
import { RoleError } from './role-error.ts'

interface Needs {
  readonly calls: CallService
  readonly network: ArchiveNetwork
  readonly networkSeed: Seed | undefined
  readonly roles: {
    readonly history: { readonly settings: Pick<EffectiveSettings, 'threshold'> }
    /** Who has said something with the network's key, the latest first. */
    keyHolders(): readonly PeerId[]
  }
  readonly members: { namedRoleOf(peer: PeerId): NamedRole | undefined }
  readonly self: PeerId
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

const budget = { burst: 20, perMinute: 1 / 3 }
const callMsMax = 15_000

export class InvitationDesk {
  readonly #needs: Needs
  readonly #budgets: TokenBuckets

  constructor(needs: Needs) {
    this.#needs = needs
    this.#budgets = new TokenBuckets(() => needs.clock.monotonicMs())
    needs.calls.answer((from, bytes) => {
      const question = inviteQuestion.decode(bytes)
      const why = this.#refusalOf(from, question)
      if (why !== undefined) return inviteAnswer.encode({ kind: 'refused', why })
      needs.log.info({ peer: from, role: question.role, uses: question.uses }, 'Invited for an administrator')
      return inviteAnswer.encode({ kind: 'invited', invitation: this.#sign(question) })
    })
  }

  /** The invitation's text. Rejects with 'role-lacking' where this peer may not, and 'role-key-away' while the key cannot be asked. */
  async invite(wanted: InviteQuestion): Promise<string> {
    const { networkSeed, members, self, network } = this.#needs
    if (networkSeed !== undefined || network.kind === 'open') return this.#sign(wanted)
    if (members.namedRoleOf(self)?.role !== 'admin')
      throw new RoleError(
        'role-lacking',
        'To invite is for administrators: polyhistor network roles lists them.',
      )
    let why: string | undefined
    for (const peer of this.#needs.roles.keyHolders()) {
      const answer = await this.#ask(peer, wanted)
      if (answer?.kind === 'invited' && this.#isWanted(answer.invitation, wanted)) return answer.invitation
      if (answer?.kind === 'refused') why = answer.why
    }
    if (why !== undefined) throw new RoleError('role-lacking', why)
    throw new RoleError(
      'role-key-away',
      'The peer with the network’s key signs every invitation, and cannot be reached now. Try again when it is there.',
    )
  }

  async #ask(peer: PeerId, wanted: InviteQuestion) {
    try {
      const bytes = await this.#needs.calls.call(peer, inviteQuestion.encode(wanted), {
        deadlineMs: callMsMax,
      })
      return inviteAnswer.decode(bytes)
    } catch (error) {
      // Away, or of an earlier version: somebody else may have the key, too.
      if (!(error instanceof PolyhistorError)) throw error
      this.#needs.log.debug({ err: error, peer }, 'An invitation was not signed')
      return undefined
    }
  }

  /** Whoever is asked may give us another one. */
  #isWanted(text: string, { role, uses }: InviteQuestion): boolean {
    const { network, admission } = readInvitation(text)
    const isOurs = networkIdOf(network) === networkIdOf(this.#needs.network)
    const grant = admission?.grant
    return isOurs && grant?.tickets?.count === uses && roleOfGrant(grant).role === role
  }

  #refusalOf(from: PeerId, { role, sites, uses, expiresAtMs }: InviteQuestion): string | undefined {
    const { networkSeed, members, roles, clock } = this.#needs
    if (networkSeed === undefined) return 'This peer has not the network’s key.'
    if (members.namedRoleOf(from)?.role !== 'admin') return 'To invite is for administrators.'
    if (role === 'admin' && roles.history.settings.threshold > 1)
      return 'One alone invites no administrator here: invite a member, and name it with polyhistor network grant.'
    if (uses < 1 || uses > usesMax) return `An invitation is good for 1 to ${usesMax}.`
    if (sites.length > 0 && role !== 'curator') return 'Only curators have sites.'
    if (expiresAtMs !== undefined && expiresAtMs <= clock.nowMs()) return 'It would have expired already.'
    if (!this.#budgets.take(from, 1, budget))
      return 'You have invited often enough for now: try again in an hour.'
    return undefined
  }

  #sign({ role, sites, uses, expiresAtMs, addresses }: InviteQuestion): string {
    const { network, networkSeed, random } = this.#needs
    return writeInvitation(
      invite(network, networkSeed ?? new Uint8Array(), random, { role, sites, uses, expiresAtMs, addresses }),
    )
  }
}
