-- The daemon's role owns nothing and makes no tables (decision 0080). A new month of messages is made by the owner, in
-- the daemon's name.
ALTER FUNCTION ensure_message_month(timestamptz, integer) SECURITY DEFINER SET search_path = relay, pg_temp;
