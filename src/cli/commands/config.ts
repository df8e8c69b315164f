// `polyhistor config`: every setting, its value, where that came from, and what it trades off.

import { environmentName, type Setting, type SettingName, settings } from '../../config/settings.ts'
import type { Context } from '../context.ts'
import { formatTable } from '../output/table.ts'

interface Row {
  name: string
  value: unknown
  written: string
  source: string
  environment: string
  tradeOff: string
  /** A running peer takes it on without a restart: polyhistor reload. */
  isLive: boolean
}

export async function showConfiguration({
  home,
  configuration,
  terminal,
  isJson,
}: Context): Promise<undefined> {
  const rows: Row[] = [
    {
      name: 'home',
      value: home.folder,
      written: home.folder,
      source: home.source,
      environment: 'POLYHISTOR_HOME',
      isLive: false,
      tradeOff: 'everything the archive keeps lies here, so give it the disk with the most room',
    },
  ]
  for (const name of Object.keys(settings) as SettingName[]) {
    const { kind, tradeOff, isLive } = settings[name] as Setting<unknown>
    const value = configuration.values[name]
    rows.push({
      name,
      value,
      written: kind.print(value),
      source: configuration.sources[name],
      environment: environmentName(name),
      tradeOff,
      isLive,
    })
  }
  if (isJson) {
    await terminal.printJson(
      Object.fromEntries(
        rows.map(({ name, value, source, environment, tradeOff, isLive }) => [
          name,
          { value, source, environment, tradeOff, isLive },
        ]),
      ),
    )
  } else {
    const table = rows.map(({ name, written, source, tradeOff, isLive }) => [
      ...[name, written, source, isLive ? 'reload' : 'restart'],
      tradeOff,
    ])
    const head = ['setting', 'value', 'from', 'changes by', 'trade-off']
    await terminal.printLine(formatTable(head, table, terminal.width))
  }
  return undefined
}
