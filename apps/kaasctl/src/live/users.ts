import { showUser, USER_COLUMNS } from "../commands/users.js";
import { renderTable } from "../output/table.js";
import type { Action } from "../session.js";
import { UsageError } from "../usage-error.js";
import { liveUsers } from "./facts/live-users.js";
import { LiveReport } from "./live-report.js";

/** `user ls`, by the brokers. */
export const listLiveUsers: Action = async (session) => {
  const report = new LiveReport();
  const users = await liveUsers(await session.connect(), report);
  await session.output.print({ users, findings: [] }, () => renderTable(USER_COLUMNS, users, session.style));
  return report.end(session);
};

/** `user describe USER`, by the brokers. */
export function describeLiveUser(name: string): Action {
  return async (session) => {
    const report = new LiveReport();
    const user = (await liveUsers(await session.connect(), report)).find((one) => one.name === name);
    if (user === undefined) {
      await report.end(session);
      throw new UsageError(`there is no user ${name} in the cluster: no credentials, quotas or ACLs`);
    }
    await showUser(session, user);
    return report.end(session);
  };
}
