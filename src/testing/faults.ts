/** No fault; lets one request pass in a list of faults. */
export interface Pass {
  readonly type: 'pass';
}

/** The connection fails before anything is sent: the server never gets the request. */
export interface Drop {
  readonly type: 'drop';
}

/** The server processes the request, but its response is lost. */
export interface Lose {
  readonly type: 'lose';
}

/** A response with this status replaces the server's response. */
export interface StatusFault {
  readonly type: 'status';
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text, or a value that is sent as JSON. @default no body */
  readonly body?: unknown;
  /** Whether the server processes the request nevertheless, as with the timeout of a gateway. @default false */
  readonly processed?: boolean;
}

/** The body of the response is cut off. */
export interface Truncate {
  readonly type: 'truncate';
  /** How many characters arrive. @default half of them */
  readonly at?: number;
  /** Whether the body ends normally instead of with an error. @default false */
  readonly silent?: boolean;
}

/** The body of the response is not valid JSON. */
export interface Malformed {
  readonly type: 'malformed';
  /** The body that arrives instead. @default '{"broken": ' */
  readonly body?: string;
}

/** The request is held until the test releases it. */
export interface Hold {
  readonly type: 'hold';
  /** Whether the request is held before it reaches the server, or the response after the server has answered. @default 'request' */
  readonly what?: 'request' | 'answer';
}

/** No response ever arrives: only an abort ends the request. */
export interface Hang {
  readonly type: 'hang';
}

/** A fault of one request. */
export type Fault = Pass | Drop | Lose | StatusFault | Truncate | Malformed | Hold | Hang;
/** The faults that need only a name. */
export type SimpleFault = Exclude<Fault['type'], 'status'>;
/** The names of faults. */
export type FaultName = Fault['type'];

/** A fault, with the requests that it applies to. */
export type FaultRule = Fault & {
  /** Whether the fault applies to a request. @default any request */
  readonly on?: (request: SeenRequest) => boolean;
  /** Number of requests that the fault applies to. @default 1 */
  readonly times?: number;
};

/** Chooses the fault of a request; undefined: no fault. */
export type FaultChoice = (request: SeenRequest) => Fault | SimpleFault | undefined;

/** A request in the log. */
export interface SeenRequest {
  /** Number of the request, from 1, in the order of the calls. */
  readonly number: number;
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  /** The body as text; undefined without a body. */
  readonly body: string | undefined;
  /** The fault of the request; undefined until it is chosen. */
  readonly fault: Fault | undefined;
  /** Whether the request has reached the server. */
  readonly reached: boolean;
  /** Status of the response that the caller got; undefined until then. */
  readonly status: number | undefined;
  /** The error that the caller got instead of a response. */
  readonly error: unknown;
  /** Lets the request continue if it is held, now or later. */
  release(): void;
}
