// The platform: all that a whole peer may touch outside itself. The real one is real-platform.ts; the simulator has its own, on
// virtual time, so that whole peers run there (sim/peer/).

import type { PageRead } from '../crawl/visit/page-work.ts'
import type { SignatureCheck } from '../network/membership/signing.ts'
import type { PageBrowser } from '../platform/browser.ts'
import type { HttpHandler, HttpServer } from '../platform/http-server.ts'
import type { PeerNetwork, PeerNetworkOptions } from '../platform/peer-network.ts'
import type { PrivateFiles } from '../platform/private-files.ts'
import type { Web } from '../platform/web.ts'
import type { Workers } from '../platform/workers.ts'
import type { World } from '../platform/world.ts'
import type { OwnFileSources } from '../replay/replay.ts'
import type { CopyWorkers } from '../store/copying/whole-copies.ts'
import type { PageAssets } from '../ui/archive.ts'
import type { Comparison, ComparisonWork } from '../ui/comparison/comparison.ts'
import type { PageTask } from './threads/page-task.ts'

export interface Platform extends Omit<World, 'network'> {
  readonly files: PrivateFiles
  readonly threads: Threads
  readonly programFiles: ProgramFiles
  readonly processId: number
  /** The web as a crawler asks it. `spoolFolder`: for bodies too large for memory. */
  startWeb(options: { spoolFolder: string }): Promise<Web>
  /** A browser that shows pages to a crawler. `path`: of one of the owner's choice; '' for any. */
  startBrowser(options: { path: string }): Promise<PageBrowser>
  startHttpServer(options: HttpListening, handler: HttpHandler): Promise<HttpServer>
  startNetwork(options: PeerNetworkOptions): Promise<PeerNetwork>
  /** TXT records of a name; none when there is no such name. */
  lookUpText(name: string): Promise<string[]>
  /** The paths that strangers may name: see allowed-paths.ts. */
  openPaths(home: string, folders: readonly string[]): Promise<Paths>
  /** There is much in memory: less of it is to be kept free. */
  keepHeapSmall(): void
  /** Lets others have their turn in the midst of long work. */
  breathe(): Promise<void>
}

/** Work beside the main thread. Whoever starts them closes them. */
interface Threads {
  /** Read pages for links, and make their records. */
  pages(count: number): Workers<PageTask, PageRead>
  /** Check copies that come from other peers. */
  copies(): CopyWorkers
  comparisons(): Workers<ComparisonWork, Comparison>
  readonly isSigned: SignatureCheck
}

/** What lies beside the program and is sent to browsers. */
export interface ProgramFiles {
  pageAssets(): Promise<PageAssets>
  replayFiles(): Promise<OwnFileSources>
}

export interface HttpListening {
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  /** Told of faults of handlers and bodies. */
  readonly whenFault?: ((fault: unknown) => void) | undefined
}

export interface Paths {
  /** The path as it is to be opened. Rejects where it is not allowed. */
  check(path: string, permit: string | undefined): Promise<string>
}
