// The platform: all that a whole peer may touch outside itself. The real one is real-platform.ts; the simulator has its own, on
// virtual time, so that whole peers run there (sim/peer/).

import type { Comparison, ComparisonWork } from '../changes/page-change/difference/comparison.ts'
import type { MachineStatus } from '../model/peer-status.ts'
import type { SignatureCheck } from '../network/membership/signing.ts'
import type { CallService } from '../platform/calls/call-services.ts'
import type { PageBrowser } from '../platform/network/browser.ts'
import type { HttpHandler, HttpServer } from '../platform/network/http-server.ts'
import type { PeerNetwork, PeerNetworkOptions } from '../platform/network/peer-network.ts'
import type { ProfileWindow, ProfileWindowOptions } from '../platform/network/profile-window.ts'
import type { Web } from '../platform/network/web.ts'
import type { BrowserOptions } from '../platform/real/browser/browser.ts'
import type { PrivateFiles } from '../platform/storage/private-files.ts'
import type { Workers } from '../platform/workers.ts'
import type { World } from '../platform/world.ts'
import type { OwnFileSources } from '../replay/replay.ts'
import type { SearchWorkers } from '../search/search-client.ts'
import type { AnalysedPage } from '../search/text/analysed-page.ts'
import type { TextWork } from '../search/text/text-work.ts'
import type { CopyWorkers } from '../store/copying/whole-copies.ts'
import type { DocumentationFiles, PageAssets } from '../ui/archive.ts'
import type { PageThreadResult, PageThreadTask } from './threads/page-task.ts'

export interface Platform extends Omit<World, 'network'> {
  readonly files: PrivateFiles
  readonly threads: Threads
  readonly programFiles: ProgramFiles
  readonly processId: number
  /** The web as a crawler asks it. `spoolFolder`: for bodies too large for memory. */
  startWeb(options: { spoolFolder: string }): Promise<Web>
  startBrowser(options: BrowserChoice): Promise<PageBrowser>
  /** A window in which the owner logs in. */
  openProfileWindow(options: ProfileWindowOptions): Promise<ProfileWindow>
  startHttpServer(options: HttpListening, handler: HttpHandler): Promise<HttpServer>
  startNetwork(options: PeerNetworkOptions): Promise<PeerNetwork>
  /** Calls as tracing wants to see them, where the owner asks for that. */
  readonly traceCalls?: ((calls: CallService) => CallService) | undefined
  /** TXT records of a name; none when there is no such name. */
  lookUpText(name: string): Promise<string[]>
  /** The paths that strangers may name: see allowed-paths.ts. */
  openPaths(home: string, folders: readonly string[]): Promise<Paths>
  /** How busy this machine is, and for how long the process has run. */
  machine(): Omit<MachineStatus, 'version' | 'positions'>
  /** There is much in memory: less of it is to be kept free. */
  keepHeapSmall(): void
  /** Lets others have their turn in the midst of long work. */
  breathe(): Promise<void>
}

/** Work beside the main thread. Whoever starts them closes them. */
interface Threads {
  /** Read pages for links, make their records, and compare their versions. */
  pages(count: number): Workers<PageThreadTask, PageThreadResult>
  /** Check copies that come from other peers. */
  copies(): CopyWorkers
  comparisons(): Workers<ComparisonWork, Comparison>
  /** Has the search index. */
  search(): SearchWorkers
  /** Reads pages for it. What takes too long or too much memory is given up. */
  texts(): Workers<TextWork, AnalysedPage>
  readonly isSigned: SignatureCheck
}

/** What lies beside the program and is sent to browsers. */
export interface ProgramFiles {
  pageAssets(): Promise<PageAssets>
  documentation(): Promise<DocumentationFiles>
  replayFiles(): Promise<OwnFileSources>
}

/** A browser that shows pages to a crawler. */
export type BrowserChoice = Pick<BrowserOptions, 'path' | 'folder' | 'fetchFolder' | 'tell' | 'session'>

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
