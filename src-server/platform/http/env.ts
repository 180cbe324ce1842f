import type { HttpBindings } from '@hono/node-server';
import type { Logger } from 'pino';
import type { Principal } from '../../context.ts';
import type { Session } from '../../features/accounts/sessions.ts';
import type { GateOpening } from '../../features/jobs/service-ports.ts';
import type { RateDecision } from '../../features/limits/window.ts';

/** What every handler finds in its Hono context. `c.env.incoming` is Node's own request. */
export interface HttpEnv {
  Bindings: HttpBindings;
  Variables: {
    /** `req_…`, also in the answer's X-Request-Id and in every log line of the request. */
    requestId: string;
    /** For what fails once the answer has begun; before that it is thrown. */
    log: Pick<Logger, 'error'>;
    /** Set by the identification middleware on every `/v1` and `/admin` route. */
    principal: Principal;
    /** Set with `principal`: the session of the owner's browser; null for every other caller. */
    session: Session | null;
    /** Set where a paid request brings a proof: what the gate said of it. */
    opening?: GateOpening;
    /** Set where the request was counted already: in whose window, and what that said. */
    counted?: RateDecision;
  };
}
