// Roles view: who has which role in the network, who said so and when, and what an administrator can do about it.

import type { NetworkStatus, RolesStatus } from '../../model/peer-status.ts'
import { type Html, html, inEnglish, nothing } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { rolesTables, roleWords } from '../screens/status/roles.ts'
import { consoleTexts } from '../texts/console.ts'
import { rolesTexts } from '../texts/roles.ts'
import { consoleScreen } from './console-screen.ts'

const offeredRoles = [
  ['member', rolesTexts.member],
  ['curator', rolesTexts.curatorOfAll],
  ['admin', rolesTexts.administrator],
  ['volunteer', rolesTexts.volunteer],
] as const

export function rolesScreen({ roles }: Pick<NetworkStatus, 'roles'>, notice: Html): Screen {
  if (roles === undefined)
    return consoleScreen('roles', html`${notice}<p class="note">${consoleTexts.onePeer}</p>`)
  const isAdmin = roles.own === 'admin' || roles.hasNetworkKey
  return consoleScreen(
    'roles',
    html`${notice}<p>${(roles.hasNetworkKey ? consoleTexts.roleWithKey : consoleTexts.roleOf)({
      role:
        roles.own === undefined
          ? consoleTexts.noRole
          : html`<strong>${roleWords[roles.own] ?? roles.own}</strong>`,
    })}${isAdmin ? '' : html` ${consoleTexts.adminsOnly}`}</p>
${rolesTables(roles)}
${isAdmin ? forms(roles) : nothing}`,
  )
}

function forms({ peers, said }: RolesStatus): Html {
  const pending = said.filter(({ standing }) => standing === 'pending')
  return html`<section aria-labelledby="change"><h2 id="change">${consoleTexts.change}</h2>
${pending.map(
  ({ id, what }) =>
    html`<form class="inline" action="/admin/actions" method="post"><input type="hidden" name="back" value="roles"><input type="hidden" name="statement" value="${id}"><p>${consoleTexts.waitsFor({ what: inEnglish(what) })} <button type="submit" name="action" value="approve">${consoleTexts.approve}</button></p></form>`,
)}
<form class="console-field" action="/admin/actions" method="post"><input type="hidden" name="back" value="roles">
<label for="grant-peer">${consoleTexts.giveRole}</label><span><select id="grant-peer" name="peer" aria-label="${consoleTexts.peer}">${peers.map(({ peer, role }) => html`<option value="${peer}">…${peer.slice(-8)} (${roleWords[role] ?? role})</option>`)}</select><select name="role" aria-label="${consoleTexts.role}">${offeredRoles.map(([value, words]) => html`<option value="${value}">${words}</option>`)}</select><input name="reason" type="text" aria-label="${consoleTexts.reason}" placeholder="${consoleTexts.why}" autocomplete="off"><button type="submit" name="action" value="grant">${consoleTexts.give}</button></span></form>
<details class="danger"><summary>${consoleTexts.revokePeer}</summary><p class="note">${consoleTexts.revokeWords}</p>
<form class="console-field" action="/admin/actions" method="post"><input type="hidden" name="back" value="roles">
<label for="revoke-peer">${consoleTexts.peer}</label><span><select id="revoke-peer" name="peer">${peers.map(({ peer, role }) => html`<option value="${peer}">…${peer.slice(-8)} (${roleWords[role] ?? role})</option>`)}</select><input name="reason" type="text" aria-label="${consoleTexts.reason}" placeholder="${consoleTexts.why}" autocomplete="off" required><button type="submit" name="action" value="revoke">${consoleTexts.revoke}</button></span></form></details>
<p class="note">${consoleTexts.rolesHelp}</p></section>`
}
