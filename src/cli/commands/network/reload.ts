// `polyhistor reload`: the running peer reads its settings again.

import type { ReloadReport, SettingChange } from '../../../config/live-settings.ts'
import type { Context } from '../../context.ts'
import { formatTable } from '../../output/table.ts'
import { PeerNotRunning } from '../../peer/ring-question.ts'
import { runningPeer } from '../../peer/running-peer.ts'

export async function reloadSettings(context: Context): Promise<undefined> {
  const { terminal, isJson, home } = context
  const peer = await runningPeer(context)
  if (peer === undefined) throw new PeerNotRunning(home.folder)
  const report = await peer.post<ReloadReport>('/api/v1/settings/reload')
  if (isJson) {
    await terminal.printJson(report)
    return undefined
  }
  const { changed, needsRestart } = report
  const rows = [
    ...changed.map((change) => rowOf(change, 'now')),
    ...needsRestart.map((change) => rowOf(change, 'needs a restart')),
  ]
  if (rows.length === 0) await terminal.printLine('No setting is written differently from how the peer runs.')
  else await terminal.printLine(formatTable(['setting', 'was', 'written', 'holds'], rows, terminal.width))
  return undefined
}

function rowOf({ name, from, to }: SettingChange, holds: string): string[] {
  return [name, from, to, holds]
}
