// nginx with a configuration of its own in a temporary folder: serves files from disk, on a free port, and writes no logs.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../src/platform/fixtures/free-port.ts'
import { untilAnswering } from './starting.ts'
import { needTool } from './tool.ts'

export interface RunningServer {
  readonly origin: string
  stop(): Promise<void>
}

export async function startNginx(folder: string, files: string): Promise<RunningServer> {
  const port = await freePort()
  await mkdir(join(folder, 'temp'), { recursive: true })
  await writeFile(join(folder, 'nginx.conf'), configuration(folder, files, port))
  const child = spawn(needTool('nginx'), ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const origin = `http://127.0.0.1:${port}`
  await untilAnswering(`${origin}/0.html`, child)
  return { origin, stop: () => ended(child, 'SIGQUIT') }
}

/** As Debian ships it, but for the logs: sendfile, keep-alive, a process per processor. */
function configuration(folder: string, files: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/temp/${kind};`,
  )
  return `daemon off; worker_processes auto; pid ${folder}/nginx.pid; error_log stderr crit;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 768; }
http {
  sendfile on; tcp_nopush on; access_log off; keepalive_requests 1000000;
  types { text/html html; }
  ${temporary.join(' ')}
  server { listen 127.0.0.1:${port}; root ${files}; }
}
`
}

export function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    else {
      child.once('close', () => resolve())
      child.kill(signal)
    }
  })
}
