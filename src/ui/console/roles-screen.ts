// Roles view: who has which role in the network, who said so and when, and what an administrator can do about it.

import type { NetworkStatus, RolesStatus } from '../../model/peer-status.ts'
import { type Html, html, nothing } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { rolesTables } from '../screens/status/roles.ts'
import { consoleScreen } from './console-screen.ts'

const roleWords = [
  ['member', 'member'],
  ['curator', 'curator of all sites'],
  ['admin', 'administrator'],
  ['volunteer', 'volunteer'],
] as const

export function rolesScreen({ roles }: Pick<NetworkStatus, 'roles'>, notice: Html): Screen {
  if (roles === undefined)
    return consoleScreen(
      'Roles',
      html`${notice}<p class="note">This archive has one peer: its owner may do everything. Roles come with a network: <code>polyhistor network create NAME</code>.</p>`,
    )
  const isAdmin = roles.own === 'admin' || roles.hasNetworkKey
  return consoleScreen(
    'Roles',
    html`${notice}<p>This peer is ${roles.own === undefined ? 'nothing here any more' : html`<strong>${roles.own}</strong>`}${roles.hasNetworkKey ? ', and has the network’s key' : ''}.${isAdmin ? '' : ' To change roles is for administrators.'}</p>
${rolesTables(roles)}
${isAdmin ? forms(roles) : nothing}`,
  )
}

function forms({ peers, said }: RolesStatus): Html {
  const pending = said.filter(({ standing }) => standing === 'pending')
  return html`<section aria-labelledby="change"><h2 id="change">Change</h2>
${pending.map(
  ({ id, what }) =>
    html`<form class="inline" action="/admin/actions" method="post"><input type="hidden" name="back" value="roles"><input type="hidden" name="statement" value="${id}"><p>Waits for more signatures: ${what}. <button type="submit" name="action" value="approve">Approve</button></p></form>`,
)}
<form class="console-field" action="/admin/actions" method="post"><input type="hidden" name="back" value="roles">
<label for="grant-peer">Give a role</label><span><select id="grant-peer" name="peer" aria-label="Peer">${peers.map(({ peer, role }) => html`<option value="${peer}">…${peer.slice(-8)} (${role})</option>`)}</select><select name="role" aria-label="Role">${roleWords.map(([value, words]) => html`<option value="${value}">${words}</option>`)}</select><input name="reason" type="text" aria-label="Reason" placeholder="why" autocomplete="off"><button type="submit" name="action" value="grant">Give</button></span></form>
<details class="danger"><summary>Revoke a peer</summary><p class="note">It is out within seconds, everywhere. What it captured stays.</p>
<form class="console-field" action="/admin/actions" method="post"><input type="hidden" name="back" value="roles">
<label for="revoke-peer">Peer</label><span><select id="revoke-peer" name="peer">${peers.map(({ peer, role }) => html`<option value="${peer}">…${peer.slice(-8)} (${role})</option>`)}</select><input name="reason" type="text" aria-label="Reason" placeholder="why" autocomplete="off" required><button type="submit" name="action" value="revoke">Revoke</button></span></form></details>
<p class="note">Invitations, sites of curators and what holds for the network: <code>polyhistor network --help</code>.</p></section>`
}
